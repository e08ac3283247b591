// SPDX-License-Identifier: Apache-2.0
#include "diagnose/precision/recording.h"

#include <map>

namespace edgeprobe::diagnose {
namespace {

constexpr std::size_t kFrames = 3;

}  // namespace

// Matches channels to the file's tensors by name.
Result<precision::Values> recorded_values(const Case& known, const model::Graph& graph,
                                          std::uint32_t frame, bool layers) {
  precision::Values values;
  std::map<std::string, int> tensors;
  for (std::size_t t = 0; t < graph.tensors.size(); ++t)
    tensors.emplace(graph.tensors[t].spec.name, static_cast<int>(t));
  for (const trace::ReadChannel& channel : known.target->channels()) {
    const trace::Stage stage = channel.channel.stage;
    const bool is_input = stage == trace::Stage::kModelInput;
    if (!is_input &&
        !(layers && (stage == trace::Stage::kLayer || stage == trace::Stage::kModelOutput)))
      continue;
    const auto found = tensors.find(channel.channel.spec.name);
    const int tensor = is_input                 ? graph.inputs.front()
                       : found == tensors.end() ? -1
                                                : found->second;
    if (tensor < 0) continue;
    EP_TRY(const auto read, known.target->read(frame, channel.id));
    if (!read || read->spec->dtype != graph.tensors[static_cast<std::size_t>(tensor)].spec.dtype)
      continue;
    TensorSpec spec = graph.tensors[static_cast<std::size_t>(tensor)].spec;
    spec.shape = read->spec->shape;
    values[tensor] = Tensor{spec, read->bytes.copy()};
  }
  return values;
}

Result<std::set<int>> norms_apart(const Case& known, const model::Graph& graph,
                                  std::uint32_t frame) {
  EP_TRY(const auto recorded, recorded_values(known, graph, frame, true));
  std::set<int> apart;
  for (const model::Layer& layer : graph.layers)
    if (layer.type == "BatchNormalization" && !layer.inputs.empty() &&
        recorded.count(layer.inputs[0]) > 0)
      apart.insert(layer.inputs[0]);
  return apart;
}

Result<Recording> recording_of(const Case& known, const layers::Host& host,
                               const layers::ModelFile& model,
                               const std::vector<std::uint32_t>& frames,
                               const std::set<int>& apart) {
  Recording made;
  EP_TRY(made.runner, precision::StepRunner::open(host, model, apart));
  for (std::size_t i = 0; i < frames.size() && i < kFrames; ++i) {
    EP_TRY(auto values, recorded_values(known, *model.graph, frames[i], true));
    made.frames.push_back(std::move(values));
  }
  return made;
}

}  // namespace edgeprobe::diagnose
