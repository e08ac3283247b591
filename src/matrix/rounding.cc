// SPDX-License-Identifier: Apache-2.0
#include "matrix/rounding.h"

#include <algorithm>

#include "layers/replay/kernel_error.h"
#include "model/format.h"

namespace edgeprobe::matrix {
namespace {

/// Results of the layers of `lane`, with its inputs and outputs. Empty if that run differs from the
/// one to be judged.
std::optional<layers::HeldValues> values_of(const model::Graph& graph, ByteView file,
                                            const std::string& label, const Lane& lane,
                                            std::size_t budget, const Control& control) {
  std::vector<int> tensors;
  std::size_t bytes = 0;
  for (const int tensor : model::capturable(graph)) {
    if (std::find(graph.outputs.begin(), graph.outputs.end(), tensor) != graph.outputs.end())
      continue;
    TensorSpec spec = graph.tensors[static_cast<std::size_t>(tensor)].spec;
    for (auto& dimension : spec.shape) dimension = std::max<std::int64_t>(1, dimension);
    bytes += spec.byte_size().value_or(0) * lane.inputs->size();
    tensors.push_back(tensor);
  }
  if (bytes > budget) return std::nullopt;
  const auto patched = model::promote(graph, file, tensors);
  if (!patched) return std::nullopt;
  const std::vector<int> shown = model::promoted_outputs(graph, tensors);
  engine::SessionOptions options = lane.session;
  options.shared_process = true;
  auto session = lane.engine->load(*patched, label + " (layers as outputs)", options);
  if (!session) return std::nullopt;
  layers::HeldValues values(lane.inputs->size());
  for (std::size_t f = 0; f < lane.inputs->size(); ++f) {
    if (control.stopped()) return std::nullopt;
    const std::vector<Tensor>& inputs = (*lane.inputs)[f];
    auto inference = (*session)->infer({inputs.begin(), inputs.end()});
    if (!inference || inference->outputs.size() != shown.size() ||
        inputs.size() != graph.inputs.size())
      return std::nullopt;
    for (std::size_t i = 0; i < inputs.size(); ++i) values.add(graph.inputs[i], inputs[i]);
    for (std::size_t o = 0; o < shown.size(); ++o) {
      Tensor& value = inference->outputs[o];
      if (o < (*lane.outputs)[f].size() && value.bytes != (*lane.outputs)[f][o].bytes)
        return std::nullopt;
      const TensorSpec& known = graph.tensors[static_cast<std::size_t>(shown[o])].spec;
      if (known.dtype == value.spec.dtype) value.spec.quantization = known.quantization;
      values.add(shown[o], std::move(value));
    }
  }
  return values;
}

bool computes_a_constant(const model::Graph& graph, int layer) {
  return model::one_op(graph, layer).inputs.empty();
}

}  // namespace

bool only_rounding(const model::Graph& graph, ByteView file, const std::string& label,
                   const Lane& host, const Lane& judged, std::size_t budget,
                   const Control& control) {
  if (!model::prescribes_rounding(graph)) return false;
  const auto values = values_of(graph, file, label, judged, budget, control);
  if (!values) return false;
  const layers::ModelFile model{&graph, file};
  const layers::Host kernels{host.engine, host.session};
  std::size_t checked = 0;
  for (const model::Layer& layer : graph.layers) {
    if (control.stopped()) return false;
    if (computes_a_constant(graph, layer.index)) continue;
    if (!layers::unplayable(model, layer.index, *values).empty()) return false;
    auto fragment = layers::open_layer(kernels, model, layer.index, *values);
    if (!fragment) return false;
    const auto kernel_error = layers::kernel_error_of(model, layer.index, *fragment, *values);
    if (!kernel_error || kernel_error->faulty || kernel_error->elements == 0) return false;
    ++checked;
  }
  return checked > 0;
}

}  // namespace edgeprobe::matrix
