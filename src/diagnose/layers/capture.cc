// SPDX-License-Identifier: Apache-2.0
#include "diagnose/layers/capture.h"

#include <algorithm>

#include "compare/align/align.h"
#include "compare/align/layout.h"
#include "core/text.h"
#include "pipeline/carry.h"

namespace edgeprobe::layers {

Result<Tensor> as_input(const TensorView& recorded, const TensorSpec& wanted) {
  if (recorded.spec->shape == wanted.shape && recorded.spec->dtype == wanted.dtype &&
      (recorded.spec->quantization == wanted.quantization || wanted.dtype == DType::kFloat32))
    return Tensor{wanted, recorded.bytes.copy()};
  const auto order = compare::layout_of(wanted.shape, recorded.spec->shape);
  if (!order)
    return Error{ErrorKind::kUnsupported, "the target's model input is " +
                                              to_text(recorded.spec->shape) + ", the reference's " +
                                              to_text(wanted.shape)};
  if (order->empty()) {
    const auto values = to_float(recorded);
    if (!values) return values.error();
    return stored_as(wanted, wanted.shape, *values);
  }
  const auto moved = compare::transposed(recorded, *order);
  if (!moved) return moved.error();
  const auto values = to_float(*moved);
  if (!values) return values.error();
  return stored_as(wanted, wanted.shape, *values);
}

Result<HeldValues> capture(pipeline::Pipeline& reference,
                           const std::vector<std::vector<Tensor>>& inputs,
                           const std::vector<int>& tensors, std::size_t budget,
                           const Control& control) {
  HeldValues held(inputs.size());
  for (const std::vector<Tensor>& frame : inputs)
    for (std::size_t i = 0; i < frame.size(); ++i) held.add(reference.graph.inputs[i], frame[i]);
  const auto groups = model::capture_groups(reference.graph, tensors, budget);
  std::size_t done = 0;
  for (const std::vector<int>& group : groups) {
    const auto patched = model::promote(reference.graph, reference.file, group);
    if (!patched) return patched.error();
    engine::SessionOptions options = reference.spec.session;
    options.profile = false;
    options.shared_process = true;
    auto session = reference.engine->load(*patched, "reference (layers as outputs)", options);
    if (!session) return std::move(session.error());
    const std::vector<int> shown = model::promoted_outputs(reference.graph, group);
    if ((*session)->outputs().size() != shown.size())
      return Error{ErrorKind::kTarget, "the engine shows " +
                                           std::to_string((*session)->outputs().size()) +
                                           " outputs of the patched reference, expected " +
                                           std::to_string(shown.size())};
    for (std::size_t f = 0; f < inputs.size(); ++f) {
      if (control.stopped()) return interrupted();
      if (f > 0 && pipeline::keeps_state(reference)) {
        session = reference.engine->load(*patched, "reference (layers as outputs)", options);
        if (!session) return std::move(session.error());
      }
      std::vector<TensorView> fed;
      for (std::size_t i = 0; i < inputs[f].size(); ++i)
        fed.emplace_back((*session)->inputs()[i], inputs[f][i].bytes);
      auto inference = (*session)->infer(fed);
      if (!inference) return std::move(inference.error());
      for (std::size_t o = 0; o < shown.size(); ++o) {
        const bool wanted = std::find(group.begin(), group.end(), shown[o]) != group.end();
        if (!wanted) continue;
        Tensor value = std::move(inference->outputs[o]);
        Shape shape = std::move(value.spec.shape);
        value.spec = reference.graph.tensors[static_cast<std::size_t>(shown[o])].spec;
        value.spec.shape = std::move(shape);
        held.add(shown[o], std::move(value));
      }
      if (control.progress)
        control.progress(++done, groups.size() * inputs.size(),
                         "frames of the reference on the recorded input");
    }
  }
  return held;
}

std::size_t bytes_of(const model::Graph& graph, const std::vector<int>& tensors) {
  std::size_t bytes = 0;
  for (const int tensor : tensors) {
    TensorSpec spec = graph.tensors[static_cast<std::size_t>(tensor)].spec;
    for (std::int64_t& dim : spec.shape) dim = dim < 0 ? 1 : dim;
    bytes += spec.byte_size().value_or(0);
  }
  return bytes;
}

}  // namespace edgeprobe::layers
