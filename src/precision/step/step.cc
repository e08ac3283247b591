// SPDX-License-Identifier: Apache-2.0
#include "precision/step/step.h"

#include <algorithm>
#include <string_view>

#include "core/index.h"

namespace edgeprobe::precision {
namespace {

template <std::size_t n>
bool is_among(const std::string_view (&types)[n], std::string_view type) {
  return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

bool is_folded(const std::string& type) {
  static constexpr std::string_view kFolded[] = {"BatchNormalization", "Relu", "Clip",
                                                 "LeakyRelu",          "RELU", "RELU6"};
  return is_among(kFolded, type);
}
bool takes_folded(const std::string& type) {
  static constexpr std::string_view kHeads[] = {"Conv",
                                                "ConvTranspose",
                                                "Gemm",
                                                "MatMul",
                                                "CONV_2D",
                                                "DEPTHWISE_CONV_2D",
                                                "FULLY_CONNECTED",
                                                "BatchNormalization"};
  return is_among(kHeads, type);
}

}  // namespace

std::vector<Step> steps_of(const model::Graph& graph, const std::set<int>& apart) {
  const std::vector<int> known = model::capturable(graph);
  std::vector<int> maker(graph.tensors.size(), -1), readers(graph.tensors.size());
  std::vector<bool> fed(graph.tensors.size()), shown(graph.tensors.size());
  for (const model::Layer& layer : graph.layers) {
    for (const int t : layer.outputs)
      if (t >= 0) maker[at(t)] = layer.index;
    for (const int t : layer.inputs)
      if (t >= 0) ++readers[at(t)];
    for (const int t : layer.implicit_inputs) ++readers[at(t)];
  }
  for (const int t : known) fed[at(t)] = true;
  for (const int t : graph.inputs) fed[at(t)] = true;
  for (const int t : graph.outputs) shown[at(t)] = true;
  for (const int t : apart) shown[at(t)] = true;
  std::vector<int> step_of(graph.layers.size(), -1);
  std::vector<Step> steps;
  for (const int t : known) {
    const int layer = maker[at(t)];
    if (layer < 0) continue;
    const model::Layer& op = graph.layers[at(layer)];
    if (step_of[at(layer)] >= 0) {
      steps[at(step_of[at(layer)])].outputs.push_back(t);
      continue;
    }
    const int read = op.inputs.empty() ? -1 : op.inputs[0];
    const int before = read >= 0 ? maker[at(read)] : -1;
    // The operator's other inputs must be available when the head of the step runs.
    const bool alone = std::all_of(op.inputs.begin(), op.inputs.end(), [&](int tensor) {
      return tensor == read || tensor < 0 || graph.tensors[at(tensor)].is_constant;
    });
    if (is_folded(op.type) && alone && before >= 0 && step_of[at(before)] >= 0 &&
        readers[at(read)] == 1 && !shown[at(read)] && op.outputs.size() == 1) {
      Step& step = steps[at(step_of[at(before)])];
      if (takes_folded(graph.layers[at(before)].type) && step.outputs.size() == 1) {
        fed[at(read)] = false;
        step.layers.push_back(layer);
        step.outputs = {t};
        step_of[at(layer)] = step_of[at(before)];
        continue;
      }
    }
    step_of[at(layer)] = static_cast<int>(steps.size());
    steps.push_back({{layer}, {t}, {}});
  }
  for (Step& step : steps) {
    std::vector<bool> given = fed;
    for (const int t : step.outputs) given[at(t)] = false;
    step.part = model::part_for(graph, step.outputs, given);
  }
  return steps;
}

std::map<int, std::size_t> last_readers(const std::vector<Step>& steps,
                                        const std::vector<int>& wanted) {
  std::map<int, std::size_t> last;
  for (std::size_t s = 0; s < steps.size(); ++s)
    for (const int tensor : steps[s].part.inputs) last[tensor] = s;
  for (const int tensor : wanted) last[tensor] = steps.size();
  return last;
}

}  // namespace edgeprobe::precision
