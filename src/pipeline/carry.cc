// SPDX-License-Identifier: Apache-2.0
#include "pipeline/carry.h"

#include "core/text.h"
#include "model/state.h"

namespace edgeprobe::pipeline {
void Carry::put(std::vector<Tensor>& inputs, bool begins_sequence) {
  if (begins_sequence || kept_.empty()) return;
  for (std::size_t i = 0; i < kept_.size(); ++i) inputs[pipeline_.states[i].input].bytes = kept_[i];
}

Status Carry::keep(const std::vector<Tensor>& outputs) {
  kept_.clear();
  for (const StatePlace& place : pipeline_.states) {
    const Tensor& output = outputs[place.output];
    const TensorSpec& to = pipeline_.session->inputs()[place.input];
    if (output.spec.shape != to.shape || output.bytes.size() != to.byte_size())
      return Error{ErrorKind::kUnsupported,
                   "--state: output '" + sanitized(output.spec.name, 100) + "' came out as [" +
                       to_list(output.spec.shape) + "], input '" + sanitized(to.name, 100) +
                       "' takes [" + to_list(to.shape) + "]: states that grow are not carried"};
    kept_.push_back(output.bytes);
  }
  return {};
}

std::vector<TensorView> views_of(const std::vector<Tensor>& tensors) {
  return {tensors.begin(), tensors.end()};
}

namespace {

/// A pipeline of recorded values has no session.
engine::Memory memory_of(const Pipeline& pipeline) {
  return pipeline.session ? pipeline.session->remembers() : engine::Memory::kNone;
}

}  // namespace

bool keeps_state(const Pipeline& pipeline) {
  return !model::state_of(pipeline.graph).empty() || memory_of(pipeline) == engine::Memory::kState;
}

bool may_keep_state(const Pipeline& pipeline) {
  return keeps_state(pipeline) || memory_of(pipeline) == engine::Memory::kUnknown;
}

Status restart(Pipeline& pipeline) {
  if (!may_keep_state(pipeline)) return {};
  EP_TRY(pipeline.session,
         pipeline.engine->load(pipeline.file, pipeline.spec.model.filename().string(),
                               pipeline.spec.session));
  return {};
}

}  // namespace edgeprobe::pipeline
