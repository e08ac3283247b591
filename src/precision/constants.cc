// SPDX-License-Identifier: Apache-2.0
#include "precision/constants.h"

#include <cmath>
#include <cstring>
#include <map>

#include "core/index.h"
#include "model/edit.h"
#include "precision/operators.h"

namespace edgeprobe::precision {
namespace {

std::map<int, int> reader_counts(const model::Graph& graph) {
  std::map<int, int> counts;
  for (const model::Layer& layer : graph.layers)
    for (const int tensor : layer.inputs) ++counts[tensor];
  return counts;
}

Tensor with(const TensorSpec& spec, const std::vector<float>& values) {
  Tensor tensor{spec, Bytes(values.size() * sizeof(float))};
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

// Weights that a device stores with a batch norm folded in. The norm's own constants and the
// preceding bias are folded in float32; their tail is null.
std::map<int, const Tail*> folded(const model::Graph& graph, const std::vector<Step>& steps,
                                  const std::vector<Tail>& tails) {
  std::map<int, const Tail*> all;
  const std::map<int, int> readers = reader_counts(graph);
  for (const model::Layer& layer : graph.layers)
    if (layer.type == "BatchNormalization")
      for (std::size_t i = 1; i < layer.inputs.size(); ++i) all[layer.inputs[i]] = nullptr;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (tails[s].gain.empty()) continue;
    const model::Layer& head = graph.layers[at(steps[s].layers.front())];
    // Weights shared with another layer are stored without this layer's norm.
    if (head.inputs.size() > 1 && readers.at(head.inputs[1]) == 1) all[head.inputs[1]] = &tails[s];
    if (head.inputs.size() > 2) all[head.inputs[2]] = nullptr;
  }
  return all;
}

// A folded bias is part of the norm's own constant, which changes by the rounding error of both
// together. A constant that several norms share stays in float32.
Status round_offsets(const layers::ModelFile& model, const std::vector<Step>& steps,
                     const std::vector<Tail>& tails, Scheme scheme, Bytes& file) {
  const std::map<int, int> readers = reader_counts(*model.graph);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const Tail& tail = tails[s];
    if (tail.gain.empty()) continue;
    const model::Layer& head = model.graph->layers[at(steps[s].layers.front())];
    std::vector<float> bias(tail.gain.size());
    if (head.inputs.size() > 2 && head.inputs[2] >= 0) {
      const auto stored = model::constant(*model.graph, model.bytes, head.inputs[2]);
      auto values = stored ? to_float(*stored) : Result<std::vector<float>>(stored.error());
      if (!values || values->size() != bias.size()) continue;
      bias = *std::move(values);
    }
    for (const int index : steps[s].layers) {
      const model::Layer& norm = model.graph->layers[at(index)];
      if (norm.type != "BatchNormalization" || norm.inputs.size() < 3 || index == head.index ||
          readers.at(norm.inputs[2]) != 1)
        continue;
      const auto stored = model::constant(*model.graph, model.bytes, norm.inputs[2]);
      auto values = stored ? to_float(*stored) : Result<std::vector<float>>(stored.error());
      if (!values || values->size() != bias.size()) continue;
      for (std::size_t c = 0; c < bias.size(); ++c) {
        const float whole = bias[c] * tail.gain[c] + tail.offset[c];
        (*values)[c] += rounded(scheme, whole) - whole;
      }
      const Tensor changed = with(stored->spec, *values);
      auto done = model::set_constant(*model.graph, file, norm.inputs[2], changed.bytes);
      if (!done && done.error().kind != ErrorKind::kUnsupported) return done;
    }
  }
  return {};
}

// Operands of products: the second input, and for some operators the first.
std::vector<bool> factors(const model::Graph& graph) {
  std::vector<bool> all(graph.tensors.size());
  for (const model::Layer& layer : graph.layers)
    if (multiplies(layer.type))
      for (std::size_t i = 0; i < layer.inputs.size() && i < 2; ++i)
        if (layer.inputs[i] >= 0) all[at(layer.inputs[i])] = true;
  return all;
}

}  // namespace

Result<StoredConstants> stored_constants(const layers::ModelFile& model,
                                         const std::vector<Step>& steps,
                                         const std::vector<Tail>& tails, Scheme scheme) {
  StoredConstants made;
  made.file = model.bytes.copy();
  const std::map<int, const Tail*> folds = folded(*model.graph, steps, tails);
  const std::vector<bool> multiplied = factors(*model.graph);
  for (std::size_t t = 0; t < model.graph->tensors.size(); ++t) {
    const model::ModelTensor& tensor = model.graph->tensors[t];
    if (!tensor.is_constant || tensor.is_sparse || tensor.spec.dtype != DType::kFloat32) continue;
    if (rounds_products(scheme) && !multiplied[t]) continue;
    const auto fold = folds.find(static_cast<int>(t));
    if (fold != folds.end() && !fold->second) continue;
    EP_TRY(const auto stored, model::constant(*model.graph, model.bytes, static_cast<int>(t)));
    EP_TRY(auto values, to_float(stored));
    const std::size_t channels = fold != folds.end() ? fold->second->gain.size() : 0;
    const std::size_t each = channels > 0 ? values.size() / channels : 0;
    bool overflows = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float gain = each > 0 ? fold->second->gain[i / each] : 1.0F;
      if (gain == 0) continue;  // After folding it is 0 in any case.
      const float before = values[i], kept = rounded(scheme, before * gain) / gain;
      values[i] = std::isnan(kept) ? rounded(scheme, before) : kept;
      overflows = overflows || (std::isfinite(before) && !std::isfinite(values[i]));
    }
    made.overflowed += overflows;
    const Tensor changed = with(stored.spec, values);
    auto done = model::set_constant(*model.graph, made.file, static_cast<int>(t), changed.bytes);
    if (!done && done.error().kind != ErrorKind::kUnsupported) return std::move(done.error());
    made.unrounded += !done;
  }
  if (!rounds_products(scheme)) EP_CHECK(round_offsets(model, steps, tails, scheme, made.file));
  return made;
}

}  // namespace edgeprobe::precision
