// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compare/options/read.h"

namespace edgeprobe::compare {
namespace {

std::int64_t reach(const Window& window, std::size_t d) {
  return (window.size[d] - 1) * window.dilation[d] + 1;
}

// Height and width of the weights; empty if unknown.
Wholes kernel_of_tflite(const OperatorReader& op) {
  const Shape* const weights = op.input_shape(1);
  if (!weights || weights->size() < 4) return {};
  return op.layer().type == "CONV_3D" ? Wholes(weights->begin(), weights->begin() + 3)
                                      : Wholes(weights->begin() + 1, weights->end() - 1);
}

Wholes bounded(Wholes dims) {
  for (std::int64_t& dim : dims) dim = std::clamp<std::int64_t>(dim, -1, std::int64_t{1} << 30);
  return dims;
}

// At least 1: a hostile file may hold anything, and smaller steps do not form a window.
Wholes steps(Wholes numbers) {
  for (std::int64_t& one : numbers) one = std::max<std::int64_t>(1, one);
  return numbers;
}

bool complete(const Window& window) {
  const std::size_t n = window.size.size();
  return n > 0 && window.input.size() == n && window.output.size() == n &&
         window.stride.size() == n && window.dilation.size() == n;
}

}  // namespace

Window padded(Window window, bool same, bool transposed) {
  const std::size_t n = window.size.size();
  window.before.assign(n, 0);
  window.after.assign(n, 0);
  if (!complete(window)) {
    window.unresolved = same ? "SAME" : "";
    return window;
  }
  for (std::size_t d = 0; d < n && same; ++d) {
    const std::int64_t places = (transposed ? window.input[d] : window.output[d]) - 1,
                       other = transposed ? window.output[d] : window.input[d];
    const std::int64_t all =
        std::max<std::int64_t>(0, places * window.stride[d] + reach(window, d) - other);
    window.before[d] = all / 2;
    window.after[d] = all - all / 2;
  }
  return window;
}

Window window_of_tflite(const OperatorReader& op, bool transposed) {
  Window window;
  window.size = bounded(kernel_of_tflite(op));
  if (window.size.empty() && op.whole("filter_height", 0) > 0)
    window.size = {op.whole("filter_height", 1), op.whole("filter_width", 1)};
  window.stride = steps({op.whole("stride_height", 1), op.whole("stride_width", 1)});
  window.dilation = steps({op.whole("dilation_height", 1), op.whole("dilation_width", 1)});
  window.input = op.spatial(op.input_shape(transposed ? 2 : 0));
  window.output = op.spatial(op.output_shape());
  const bool same = op.text("padding", "SAME") == "SAME";
  // The file's shapes may be stale; SAME only needs the input's.
  if (same && !transposed && window.input.size() == 2)
    window.output = {
        (window.input[0] + window.stride[0] - 1) / std::max<std::int64_t>(1, window.stride[0]),
        (window.input[1] + window.stride[1] - 1) / std::max<std::int64_t>(1, window.stride[1])};
  return padded(std::move(window), same, transposed);
}

Window window_of_onnx(const OperatorReader& op, bool transposed) {
  Window window;
  const std::string& type = op.layer().type;
  const Shape* const weights = op.input_shape(type == "QLinearConv" ? 3 : 1);
  const bool pool = type.find("Pool") != std::string::npos;
  if (!pool && weights && weights->size() > 2)
    window.size = bounded(Wholes(weights->begin() + 2, weights->end()));
  else if (const auto size = op.wholes("kernel_shape")) window.size = *size;
  const std::size_t n = window.size.size();
  window.stride = steps(op.wholes("strides").value_or(Wholes(n, 1)));
  window.dilation = steps(op.wholes("dilations").value_or(Wholes(n, 1)));
  window.input = op.spatial(op.input_shape(0));
  window.output = op.spatial(op.output_shape());
  window.before.assign(n, 0);
  window.after.assign(n, 0);
  if (window.stride.size() != n || window.dilation.size() != n) return window;
  const std::string automatic = op.text("auto_pad", "NOTSET");
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    if (!transposed && window.input.size() == n) {
      window.output.resize(n);
      for (std::size_t d = 0; d < n; ++d)
        window.output[d] =
            (window.input[d] + window.stride[d] - 1) / std::max<std::int64_t>(1, window.stride[d]);
    }
    window = padded(std::move(window), true, transposed);
    if (!window.unresolved.empty()) window.unresolved = automatic;
    if (automatic == "SAME_LOWER") std::swap(window.before, window.after);
    return window;
  }
  if (automatic == "NOTSET")
    if (const auto pads = op.wholes("pads"); pads && pads->size() == 2 * n)
      for (std::size_t d = 0; d < n; ++d) {
        window.before[d] = (*pads)[d];
        window.after[d] = (*pads)[d + n];
      }
  if (op.whole("ceil_mode", 0) != 0 && window.input.size() == n)
    for (std::size_t d = 0; d < n; ++d)
      window.ceil =
          window.ceil || (window.input[d] + window.before[d] + window.after[d] - reach(window, d)) %
                                 std::max<std::int64_t>(1, window.stride[d]) !=
                             0;
  return window;
}

void put_window(const Window& window, bool transposed, OperatorOptions& into) {
  const std::size_t n = window.size.size();
  if (n == 0 || window.stride.size() != n || window.dilation.size() != n) {
    into.values["stride"] = window.stride;
    into.values["dilation"] = window.dilation;
    if (!window.unresolved.empty()) into.values["padding"] = window.unresolved;
    return;
  }
  Wholes stride = window.stride, dilation = window.dilation, before = window.before,
         after = window.after;
  Wholes output = window.output, reached;
  // Number of window positions and the reach of the last one, both without rounding up.
  if (!transposed && window.input.size() == n) {
    output.assign(n, 1);
    reached.assign(n, 0);
    for (std::size_t d = 0; d < n; ++d) {
      const std::int64_t free = window.input[d] + before[d] + after[d] - reach(window, d);
      output[d] = free < 0 ? 1 : free / std::max<std::int64_t>(1, stride[d]) + 1;
      const std::int64_t touched =
          (output[d] - 1) * stride[d] + reach(window, d) - window.input[d] - before[d];
      after[d] = std::clamp<std::int64_t>(touched, 0, std::max<std::int64_t>(0, after[d]));
      const bool more = window.ceil && free % std::max<std::int64_t>(1, stride[d]) != 0;
      reached[d] = std::max<std::int64_t>(0, touched + (more ? stride[d] : 0));
    }
  }
  if (transposed && complete(window))
    for (std::size_t d = 0; d < n; ++d)  // Output padding counts as less padding at the end.
      after[d] =
          (window.input[d] - 1) * stride[d] + reach(window, d) - window.output[d] - before[d];
  for (std::size_t d = 0; d < n; ++d) {
    const bool once = transposed ? window.input.size() == n && window.input[d] == 1
                                 : window.input.size() == n && output[d] == 1 && !window.ceil;
    if (once) stride[d] = 1;
    if (window.size[d] == 1) dilation[d] = 1;
  }
  into.values["stride"] = stride;
  into.values["dilation"] = dilation;
  if (!window.unresolved.empty()) {
    into.values["padding"] = window.unresolved;
    return;
  }
  if (!reached.empty()) {
    into.reach = before;
    into.reach.insert(into.reach.end(), reached.begin(), reached.end());
  }
  Wholes padding = before;
  padding.insert(padding.end(), after.begin(), after.end());
  into.values["padding"] = padding;
}

}  // namespace edgeprobe::compare
