// SPDX-License-Identifier: Apache-2.0
#include "engine/litert/delegation.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

namespace edgeprobe::engine::litert {
namespace {

/// The beginning of TfLiteContext and all of TfLiteDelegate, equal in all versions.
struct IntArray {
  int size;
  int data[1];  ///< Actually of length `size`.
};
struct Node {
  IntArray* inputs;
  IntArray* outputs;
  IntArray* intermediates;
  IntArray* temporaries;
  void* user_data;
  void* built_in;  ///< For a delegate's node: its Parameters.
};
struct Parameters {
  void* delegate;
  IntArray* replaced;
};
struct Registration {
  void* functions[4];
  void* profiling_string;
  std::int32_t built_in_code;
  const char* custom_name;
};
struct Context {
  std::size_t tensor_count;
  int (*execution_plan)(Context*, IntArray**);
  void* tensors;
  void* implementation;
  void* resize_tensor;
  void* report_error;
  void* add_tensors;
  int (*node)(Context*, int index, Node**, Registration**);
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

/// The callbacks have no user pointer.
thread_local PlanWatch* watching = nullptr;

/// The file's operators that XNNPACK runs in a node. A custom operator that happens to have the
/// name of XNNPACK's nodes has no parameters.
std::vector<int> xnnpack_ops(Context* context, int node) {
  Node* found = nullptr;
  Registration* registration = nullptr;
  if (context->node(context, node, &found, &registration) != kOk || !registration->custom_name ||
      std::strcmp(registration->custom_name, "TfLiteXNNPackDelegate") != 0 || !found->built_in)
    return {};
  const IntArray* const ops = static_cast<Parameters*>(found->built_in)->replaced;
  return ops ? std::vector<int>(ops->data, ops->data + ops->size) : std::vector<int>();
}

int look(Context* context, Delegate*) {
  IntArray* plan = nullptr;
  if (!watching || context->execution_plan(context, &plan) != kOk || !plan) return kOk;
  const std::vector<int> nodes(plan->data, plan->data + plan->size);
  std::vector<std::vector<int>> xnnpack;
  for (const int node : nodes)
    if (auto ops = xnnpack_ops(context, node); !ops.empty()) xnnpack.push_back(std::move(ops));
  watching->see(nodes, xnnpack);
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

void PlanWatch::see(std::vector<int> nodes, const std::vector<std::vector<int>>& xnnpack) {
  // The main graph comes first; the bodies of IF and WHILE follow.
  if (std::exchange(seen_, true)) return;
  plan_ = std::move(nodes);
  xnnpack_pieces_ = static_cast<int>(xnnpack.size());
  for (const auto& ops : xnnpack) xnnpack_.insert(xnnpack_.end(), ops.begin(), ops.end());
  std::sort(xnnpack_.begin(), xnnpack_.end());
}

std::vector<int> PlanWatch::taken_by_others(int op_count) const {
  std::set<int> left(plan_.begin(), plan_.end());
  left.insert(xnnpack_.begin(), xnnpack_.end());
  std::vector<int> ops;
  for (int op = 0; op < op_count; ++op)
    if (!left.contains(op)) ops.push_back(op);
  return ops;
}

}  // namespace edgeprobe::engine::litert
