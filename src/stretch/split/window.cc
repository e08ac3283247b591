// SPDX-License-Identifier: Apache-2.0
#include "stretch/split/window.h"

#include <algorithm>
#include <string>

#include "core/index.h"
#include "stretch/split/sharing.h"

namespace edgeprobe::stretch {
namespace {

using model::Layer;

Error refuse(const SplitSubject& subject, int layer, const std::string& what) {
  return {ErrorKind::kUnsupported, layer_name(subject, layer) + " " + what};
}

/// Padding of the rows as the node states it, or as "auto_pad" implies.
Status add_pads(const SplitSubject& subject, int index, std::size_t axis, std::int64_t height,
                Window& window) {
  const std::string automatic = subject.text(index, "auto_pad", "NOTSET");
  const std::vector<std::int64_t> pads = subject.wholes(index, "pads", {0, 0, 0, 0});
  if (automatic == "NOTSET") {
    if (pads.size() != 4) return refuse(subject, index, "has other dimensions than rows, columns");
    window.above = pads[axis - kRowAxis];
    window.below = pads[axis];
    return {};
  }
  if (automatic == "VALID") return {};
  if (height < 1)
    return refuse(
        subject, index,
        std::string("has an unknown number of ") + (axis == kRowAxis ? "rows" : "columns"));
  const std::int64_t made = (height + window.stride - 1) / window.stride;
  const std::int64_t all = std::max<std::int64_t>(
      (made - 1) * window.stride + (window.kernel - 1) * window.dilation + 1 - height, 0);
  window.above = automatic == "SAME_LOWER" ? all - all / 2 : all / 2;
  window.below = all - window.above;
  return {};
}

Result<Window> sliding(const SplitSubject& subject, int index, std::size_t axis) {
  const Layer& layer = subject.layer(index);
  Window window;
  window.slides = true;
  window.inputs = {0};
  std::vector<std::int64_t> kernel = subject.wholes(index, "kernel_shape", {});
  if (const std::size_t position = convolution_weights(layer.type); position > 0) {
    if (!has(layer, position)) return refuse(subject, index, "has no weights");
    for (std::size_t i = 1; i < layer.inputs.size(); ++i)
      if (layer.inputs[i] >= 0 && !subject.is_stored(layer.inputs[i]))
        return refuse(subject, index, "computes its weights");
    const model::ModelTensor& weights = subject.values(layer.inputs[position]);
    if (weights.spec.shape.size() != 4) return refuse(subject, index, "has not two dimensions");
    kernel = {weights.spec.shape[2], weights.spec.shape[3]};
  }
  if (kernel.size() != 2) return refuse(subject, index, "has not two dimensions");
  if (subject.whole(index, "ceil_mode", 0) != 0) return refuse(subject, index, "has ceil_mode");
  const std::vector<std::int64_t> strides = subject.wholes(index, "strides", {1, 1});
  const std::vector<std::int64_t> dilations = subject.wholes(index, "dilations", {1, 1});
  if (strides.size() != 2 || dilations.size() != 2)
    return refuse(subject, index, "has not two dimensions");
  window.kernel = kernel[axis - kRowAxis];
  window.stride = strides[axis - kRowAxis];
  window.dilation = dilations[axis - kRowAxis];
  const std::int64_t height = dimension(subject.tensor(layer.inputs[0]), axis);
  EP_CHECK(add_pads(subject, index, axis, height, window));
  constexpr std::int64_t kMost = 1 << 20;  // Products of these do not overflow.
  for (const std::int64_t one : {window.kernel, window.stride, window.dilation})
    if (one < 1 || one > kMost) return refuse(subject, index, "has a window of no size");
  // Columns are not split, so their number may be open.
  const std::int64_t size = axis == kRowAxis ? height : std::max<std::int64_t>(height, 0);
  for (const std::int64_t one : {window.above, window.below, size})
    if (one < 0 || one > kMost) return refuse(subject, index, "has pads or rows of no size");
  return window;
}

}  // namespace

Result<Window> window_of(const SplitSubject& subject, int index, std::size_t axis) {
  const Layer& layer = subject.layer(index);
  if (layer.outputs.size() != 1 || layer.outputs.front() < 0 || layer.inputs.empty() ||
      layer.inputs[0] < 0)
    return refuse(subject, index, "must have exactly one output");
  const model::ModelTensor& made = subject.tensor(layer.outputs.front());
  const std::int64_t rows = dimension(made, axis);
  if ((rows < 1 && axis == kRowAxis) || made.spec.shape.size() != 4)
    return refuse(subject, index, "has not rows and columns, or an unknown number of rows");
  if (convolution_weights(layer.type) > 0 || layer.type == "MaxPool" || layer.type == "AveragePool")
    return sliding(subject, index, axis);
  const bool joins = layer.type == "Concat" && subject.whole(index, "axis", 0) == 1;
  const bool norms =
      layer.type == "BatchNormalization" && subject.whole(index, "training_mode", 0) == 0;
  const bool converts = converts_integers(layer.type);
  if (!joins && !norms && !converts && !is_elementwise(layer.type))
    return refuse(subject, index, "does not keep its rows apart");
  if (converts) {
    EP_TRY(const auto scales, scales_along(subject, index, kRowAxis));
    if (!scales.empty()) return refuse(subject, index, "has a scale for each row");
  }
  Window window;
  for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
    const int input = layer.inputs[i];
    if (input < 0) continue;
    const model::ModelTensor& tensor = subject.tensor(input);
    if (!subject.is_stored(input)) {
      if (dimension(tensor, kRowAxis) != rows || tensor.spec.shape.size() != 4)
        return refuse(subject, index, "spreads its input");
      window.inputs.push_back(i);
      continue;
    }
    const Shape& shape = subject.values(input).spec.shape;
    const std::size_t rank = shape.size();
    if (joins || (!norms && rank >= 2 && shape[rank - 2] != 1))
      return refuse(subject, index, "has a constant with rows of its own");
  }
  return window;
}

Needed needed_for(const Window& window, Rows rows, std::int64_t height) {
  if (!window.slides) return {rows, 0, 0};
  const std::int64_t first = rows.first * window.stride - window.above;
  const std::int64_t end =
      (rows.end - 1) * window.stride - window.above + (window.kernel - 1) * window.dilation + 1;
  Needed needed;
  needed.rows = {std::clamp<std::int64_t>(first, 0, height),
                 std::clamp<std::int64_t>(end, 0, height)};
  needed.above = needed.rows.first - first;
  needed.below = end - needed.rows.end;
  return needed;
}

}  // namespace edgeprobe::stretch
