// SPDX-License-Identifier: Apache-2.0
#include "engine/litert/delegation.h"

#include <set>
#include <utility>

namespace edgeprobe::engine::litert {
namespace {

/// The beginning of TfLiteContext and the whole of TfLiteDelegate, as every version has them.
struct IntArray {
  int size;
  int data[1];  ///< Really `size` long.
};
struct Context {
  std::size_t tensor_count;
  int (*execution_plan)(Context*, IntArray**);
};
struct Delegate {
  void* data;
  int (*prepare)(Context*, Delegate*);
  void* copy_from;
  void* copy_to;
  void* free_handle;
  std::int64_t flags;
  void* opaque;
};
constexpr std::int64_t kAllowsDynamicTensors = 1;

/// The callbacks carry no address of ours.
thread_local PlanWatch* watching = nullptr;

int look(Context* context, Delegate*) {
  IntArray* plan = nullptr;
  if (watching && context->execution_plan(context, &plan) == kOk && plan)
    watching->see(plan->data, plan->size);
  return kOk;
}

int create(void*, CEnvironment*, const void*, COptions*, void** wrapper) {
  if (!watching) return 5;  // kLiteRtStatusErrorUnsupported: not one of our sessions.
  auto* const delegate =
      new Delegate{nullptr, &look, nullptr, nullptr, nullptr, kAllowsDynamicTensors, nullptr};
  const auto destroy = [](void* mine) { delete static_cast<Delegate*>(mine); };
  return watching->api().wrap_delegate(delegate, destroy, wrapper);
}

int tell_name(const void*, const char** name) {
  *name = "edgeprobe plan watch";
  return kOk;
}
int tell_version(const void*, std::int32_t* version) {
  version[0] = version[1] = version[2] = 0;
  return kOk;
}
int tell_hardware(const void*, int* set) {
  *set = kCpu;
  return kOk;
}

}  // namespace

PlanWatch::PlanWatch(const Api& api) : api_(api) { watching = this; }
PlanWatch::~PlanWatch() { watching = nullptr; }

bool PlanWatch::install(const Api& api, CEnvironment* environment) {
  CAccelerator* accelerator = nullptr;
  if (!api.takes_accelerators() || api.create_accelerator(&accelerator) != kOk) return false;
  return api.set_accelerator_name(accelerator, &tell_name) == kOk &&
         api.set_accelerator_version(accelerator, &tell_version) == kOk &&
         api.set_accelerator_hardware(accelerator, &tell_hardware) == kOk &&
         api.set_accelerator_delegate(accelerator, &create) == kOk &&
         api.register_accelerator(environment, accelerator, nullptr, nullptr) == kOk;
}

void PlanWatch::see(const int* nodes, int count) {
  // The main graph comes first; the bodies of IF and WHILE follow.
  if (!std::exchange(seen_, true)) plan_.assign(nodes, nodes + count);
}

int PlanWatch::pieces(int op_count) const {
  int count = 0;
  for (const int node : plan_) count += node >= op_count;
  return count;
}

std::vector<int> PlanWatch::taken(int op_count) const {
  const std::set<int> left(plan_.begin(), plan_.end());
  std::vector<int> ops;
  for (int op = 0; op < op_count; ++op)
    if (!left.contains(op)) ops.push_back(op);
  return ops;
}

}  // namespace edgeprobe::engine::litert
