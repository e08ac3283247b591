// SPDX-License-Identifier: Apache-2.0
#include "engine/tflite/delegation.h"

namespace edgeprobe::engine::tflite {

PlanReader::PlanReader(const Api& api) : api_(api) {
  builder_.data = this;
  builder_.prepare = &PlanReader::look;
  // Without this flag the runtime would reject our delegate, and then fail itself, on models with
  // open shapes.
  builder_.flags = kAllowsDynamicTensors;
}

PlanReader::~PlanReader() {
  for (CDelegate* const delegate : delegates_) api_.delegate_delete(delegate);
}

int PlanReader::look(CContext* context, CDelegate*, void* data) {
  auto& self = *static_cast<PlanReader*>(data);
  // Called once per subgraph, the main one first, and again whenever shapes change.
  if (!self.reading_ || self.plan_) return kOk;
  IntArray* plan = nullptr;
  if (self.api_.execution_plan(context, &plan) == kOk && plan)
    self.plan_.emplace(plan->data, plan->data + plan->size);
  return kOk;
}

std::optional<std::vector<int>> PlanReader::read(CInterpreter* interpreter) {
  // The runtime ignores a delegate that it already knows, so each read needs a new one.
  CDelegate* const delegate = api_.delegate_create(&builder_);
  if (!delegate) return std::nullopt;
  delegates_.push_back(delegate);
  plan_.reset();
  reading_ = true;
  const int status = api_.modify_graph(interpreter, delegate);
  reading_ = false;
  return status == kOk ? std::exchange(plan_, std::nullopt) : std::nullopt;
}

}  // namespace edgeprobe::engine::tflite
