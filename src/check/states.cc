// SPDX-License-Identifier: Apache-2.0
#include "check/reference.h"

#include <algorithm>

namespace edgeprobe::check {

void share_states(const std::vector<pipeline::CarriedState>& states,
                  pipeline::PipelineSpec& reference) {
  if (states.empty() || !reference.states.empty()) return;
  model::FileBytes file;
  const auto graph = model::load(reference.model, file);
  if (!graph) return;
  const auto has = [&](const std::vector<int>& tensors, const std::string& name) {
    return std::any_of(tensors.begin(), tensors.end(), [&](int tensor) {
      return graph->tensors[static_cast<std::size_t>(tensor)].spec.name == name;
    });
  };
  for (const pipeline::CarriedState& state : states)
    if (!has(graph->outputs, state.output) || !has(graph->inputs, state.input)) return;
  reference.states = states;
}

bool share_states(const std::vector<pipeline::CarriedState>& states, Reference& reference) {
  pipeline::PipelineSpec* spec = nullptr;
  if (auto* const model = std::get_if<ReferenceModel>(&reference)) spec = &model->spec;
  auto* const recorded = std::get_if<RecordedReference>(&reference);
  if (recorded && recorded->made_by) spec = &*recorded->made_by;
  if (spec) share_states(states, *spec);
  return spec && !spec->states.empty();
}

}  // namespace edgeprobe::check
