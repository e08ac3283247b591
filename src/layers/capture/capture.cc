// SPDX-License-Identifier: Apache-2.0
#include "layers/capture/capture.h"

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
    EP_TRY(const auto values, to_float(recorded));
    return stored_as(wanted, wanted.shape, values);
  }
  EP_TRY(const auto moved, compare::transposed(recorded, *order));
  EP_TRY(const auto values, to_float(moved));
  return stored_as(wanted, wanted.shape, values);
}

namespace {

// Runs the reference with some tensors as outputs, and adds their values in each frame.
Status run_group(pipeline::Pipeline& reference, const std::vector<std::vector<Tensor>>& inputs,
                 const std::vector<int>& group, HeldValues& held, const Control& control) {
  EP_TRY(const auto patched, model::promote(reference.graph, reference.file, group));
  engine::SessionOptions options = reference.spec.session;
  options.profile = false;
  options.shared_process = true;
  const std::string label =
      group.empty() ? "reference" : std::string("reference (layers as outputs)");
  EP_TRY(auto session, reference.engine->load(patched, label, options));
  const std::vector<int> shown = model::promoted_outputs(reference.graph, group);
  if (session->outputs().size() != shown.size())
    return Error{ErrorKind::kTarget,
                 "the engine shows " + std::to_string(session->outputs().size()) +
                     " outputs of the patched reference, expected " + std::to_string(shown.size())};
  for (std::size_t f = 0; f < inputs.size(); ++f) {
    if (control.stopped()) return interrupted();
    if (f > 0 && pipeline::keeps_state(reference)) {
      EP_TRY(session, reference.engine->load(patched, label, options));
    }
    std::vector<TensorView> fed;
    for (std::size_t i = 0; i < inputs[f].size(); ++i) fed.emplace_back(inputs[f][i]);
    EP_TRY(auto inference, session->infer(fed));
    for (const int tensor : group) {
      const auto place = std::find(shown.begin(), shown.end(), tensor) - shown.begin();
      Tensor value = std::move(inference.outputs[static_cast<std::size_t>(place)]);
      Shape shape = std::move(value.spec.shape);
      value.spec = reference.graph.tensors[static_cast<std::size_t>(tensor)].spec;
      value.spec.shape = std::move(shape);
      held.add(tensor, std::move(value));
    }
    if (control.progress)
      control.progress(f + 1, inputs.size(), "frames of the reference on the recorded input");
  }
  return {};
}

}  // namespace

Result<Captured> capture(pipeline::Pipeline& reference,
                         const std::vector<std::vector<Tensor>>& inputs,
                         const std::vector<int>& tensors, std::size_t budget,
                         const Control& control) {
  Captured captured{HeldValues(inputs.size()), {}};
  for (const std::vector<Tensor>& frame : inputs)
    for (std::size_t i = 0; i < frame.size(); ++i)
      captured.values.add(reference.graph.inputs[i], frame[i]);
  auto groups = model::capture_groups(reference.graph, tensors, budget);
  const std::size_t all = groups.size() * inputs.size();
  model::CaptureList list(std::move(groups));
  std::size_t done = 0;
  bool runs = false;
  while (auto group = list.next()) {
    Control counted{control.stop, {}};
    if (control.progress)
      counted.progress = [&](std::size_t frame, std::size_t, const std::string& what) {
        control.progress(std::min(all, done + frame), all, what);
      };
    const auto ran = run_group(reference, inputs, group->tensors, captured.values, counted);
    if (ran) {
      done += inputs.size();
      runs = true;
      continue;
    }
    for (const int tensor : group->tensors) captured.values.remove(tensor);
    if (ran.error().kind == ErrorKind::kInterrupted) return Error(ran.error());
    if (!runs) {
      EP_CHECK(run_group(reference, inputs, {}, captured.values, {control.stop, {}}));
      runs = true;
    }
    list.failed(*std::move(group), ran.error());
  }
  captured.missing = list.not_captured();
  return captured;
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
