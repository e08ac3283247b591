// SPDX-License-Identifier: Apache-2.0
#include "precision/sums/sum.h"

#include <algorithm>
#include <string>

#include "precision/sums/accumulators.h"
#include "precision/sums/operand.h"

namespace edgeprobe::precision {
namespace {

using std::size_t;

/// A convolution over pictures with channels last; weights [groups][window][in][out].
struct Window {
  size_t batch = 1, height = 1, width = 1, channels = 1;
  size_t out_height = 1, out_width = 1, out_channels = 1;
  size_t rows = 1, columns = 1, groups = 1;
  size_t stride_y = 1, stride_x = 1, dilation_y = 1, dilation_x = 1;
  std::int64_t top = 0, left = 0;
};

Summed convolve(const Window& w, const std::vector<float>& input, const std::vector<float>& weights,
                const std::vector<float>& bias, Accumulator accumulator) {
  const size_t in = w.channels / w.groups, out = w.out_channels / w.groups;
  const bool depthwise = in == 1 && out == 1;
  Row row(depthwise ? w.out_channels : out, accumulator);
  Summed made;
  made.values.resize(w.batch * w.out_height * w.out_width * w.out_channels);
  const auto inside = [&](size_t o, size_t stride, size_t k, size_t dilation, std::int64_t pad,
                          size_t size) -> std::int64_t {
    const auto place = static_cast<std::int64_t>(o * stride + k * dilation) - pad;
    return place >= 0 && place < static_cast<std::int64_t>(size) ? place : -1;
  };
  const auto at = [&](size_t n, std::int64_t y, std::int64_t x) {
    return input.data() +
           ((n * w.height + static_cast<size_t>(y)) * w.width + static_cast<size_t>(x)) *
               w.channels;
  };
  size_t to = 0;
  for (size_t n = 0; n < w.batch; ++n)
    for (size_t oy = 0; oy < w.out_height; ++oy)
      for (size_t ox = 0; ox < w.out_width; ++ox, to += w.out_channels)
        for (size_t g = 0; g < (depthwise ? 1 : w.groups); ++g) {
          row.clear();
          for (size_t ky = 0; ky < w.rows; ++ky)
            for (size_t kx = 0; kx < w.columns; ++kx) {
              const auto y = inside(oy, w.stride_y, ky, w.dilation_y, w.top, w.height);
              const auto x = inside(ox, w.stride_x, kx, w.dilation_x, w.left, w.width);
              if (y < 0 || x < 0) continue;
              const float* pixel = at(n, y, x);
              const size_t k = ky * w.columns + kx;
              if (depthwise) {
                row.add(pixel, weights.data() + k * w.channels);
                continue;
              }
              for (size_t c = 0; c < in; ++c)
                row.add(pixel[g * in + c],
                        weights.data() + ((g * w.rows * w.columns + k) * in + c) * out);
            }
          for (size_t c = 0; c < (depthwise ? w.out_channels : out); ++c)
            made.values[to + g * out + c] = row.finish(c, bias.empty() ? 0.0F : bias[g * out + c]);
        }
  made.largest_partial = row.largest();
  return made;
}

std::int64_t same_pad(size_t in, size_t out, size_t window, size_t stride, size_t dilation) {
  const auto needed = static_cast<std::int64_t>((out - 1) * stride + (window - 1) * dilation + 1) -
                      static_cast<std::int64_t>(in);
  return std::max<std::int64_t>(0, needed) / 2;
}

}  // namespace

Result<Summed> conv_tflite(const Sum& work, Accumulator accumulator) {
  const Array &x = *work.inputs[0], &f = *work.inputs[1];
  const model::Attributes& a = *work.attributes;
  if (x.shape.size() != 4 || f.shape.size() != 4 || work.output.size() != 4)
    return unknown("a convolution of that shape");
  const bool depthwise = work.layer->type == "DEPTHWISE_CONV_2D";
  const auto dim = [](const Shape& s, size_t i) { return static_cast<size_t>(s[i]); };
  Window w;
  w.batch = dim(x.shape, 0), w.height = dim(x.shape, 1), w.width = dim(x.shape, 2);
  w.channels = dim(x.shape, 3), w.out_height = dim(work.output, 1);
  w.out_width = dim(work.output, 2), w.out_channels = dim(work.output, 3);
  w.rows = dim(f.shape, 1), w.columns = dim(f.shape, 2);
  const size_t in = depthwise ? 1 : dim(f.shape, 3);
  if (in == 0 || w.channels % in != 0) return unknown("a convolution of that shape");
  w.groups = w.channels / in;
  if (w.groups == 0 || w.out_channels % w.groups != 0)
    return unknown("a convolution of that shape");
  w.stride_y = whole(a, "stride_height", 1), w.stride_x = whole(a, "stride_width", 1);
  w.dilation_y = whole(a, "dilation_height", 1), w.dilation_x = whole(a, "dilation_width", 1);
  if (attribute<std::string>(a, "padding", "SAME") == "SAME") {
    w.top = same_pad(w.height, w.out_height, w.rows, w.stride_y, w.dilation_y);
    w.left = same_pad(w.width, w.out_width, w.columns, w.stride_x, w.dilation_x);
  }
  const size_t window = w.rows * w.columns, out = w.out_channels / w.groups;
  std::vector<float> weights(f.values.size());
  if (depthwise && out > 1) {  // [window][channels * out] to [channels][window][out]
    for (size_t k = 0; k < window; ++k)
      for (size_t c = 0; c < w.channels; ++c)
        for (size_t o = 0; o < out; ++o)
          weights[(c * window + k) * out + o] = f.values[(k * w.channels + c) * out + o];
  } else if (depthwise) {
    weights = f.values;
  } else {  // [groups * out][window][in] to [groups][window][in][out]
    for (size_t g = 0; g < w.groups; ++g)
      for (size_t o = 0; o < out; ++o)
        for (size_t k = 0; k < window * in; ++k)
          weights[(g * window * in + k) * out + o] = f.values[(g * out + o) * window * in + k];
  }
  return convolve(w, x.values, weights, bias_of(work, 2), accumulator);
}

Result<Summed> conv_onnx(const Sum& work, Accumulator accumulator) {
  using Numbers = std::vector<std::int64_t>;
  const Array &x = *work.inputs[0], &f = *work.inputs[1];
  const model::Attributes& a = *work.attributes;
  const size_t rank = x.shape.size();
  if (rank < 3 || rank > 4 || f.shape.size() != rank || work.output.size() != rank)
    return unknown("a convolution of that shape");
  const auto dim = [](const Shape& s, size_t i) { return static_cast<size_t>(s[i]); };
  const auto strides = attribute<Numbers>(a, "strides", {}),
             dilations = attribute<Numbers>(a, "dilations", {}),
             pads = attribute<Numbers>(a, "pads", {});
  const auto nth = [](const Numbers& all, size_t i, std::int64_t otherwise) {
    return i < all.size() ? all[i] : otherwise;
  };
  const bool line = rank == 3;
  const size_t spatial = rank - 2;
  Window w;
  w.batch = dim(x.shape, 0), w.channels = dim(x.shape, 1), w.out_channels = dim(work.output, 1);
  w.width = dim(x.shape, rank - 1), w.out_width = dim(work.output, rank - 1);
  w.columns = dim(f.shape, rank - 1);
  if (!line) {
    w.height = dim(x.shape, 2), w.out_height = dim(work.output, 2), w.rows = dim(f.shape, 2);
    w.stride_y = static_cast<size_t>(nth(strides, 0, 1));
    w.dilation_y = static_cast<size_t>(nth(dilations, 0, 1));
    w.top = nth(pads, 0, 0);
  }
  w.stride_x = static_cast<size_t>(nth(strides, spatial - 1, 1));
  w.dilation_x = static_cast<size_t>(nth(dilations, spatial - 1, 1));
  w.left = nth(pads, spatial - 1, 0);
  const std::string automatic = attribute<std::string>(a, "auto_pad", "NOTSET");
  if (automatic == "SAME_UPPER") {
    w.top = same_pad(w.height, w.out_height, w.rows, w.stride_y, w.dilation_y);
    w.left = same_pad(w.width, w.out_width, w.columns, w.stride_x, w.dilation_x);
  } else if (automatic == "SAME_LOWER") {
    return unknown("auto_pad SAME_LOWER");
  }
  w.groups = whole(a, "group", 1);
  const size_t in = dim(f.shape, 1), window = w.rows * w.columns;
  if (w.channels != in * w.groups || w.out_channels % w.groups != 0)
    return unknown("a convolution of that shape");
  const size_t out = w.out_channels / w.groups;
  std::vector<float> weights(f.values.size());
  if (in == 1 && out == 1) {  // [channels][window] to [window][channels]
    weights = exchanged(f.values, 1, w.channels, window);
  } else {  // [groups * out][in][window] to [groups][window][in][out]
    for (size_t g = 0; g < w.groups; ++g)
      for (size_t o = 0; o < out; ++o)
        for (size_t c = 0; c < in; ++c)
          for (size_t k = 0; k < window; ++k)
            weights[((g * window + k) * in + c) * out + o] =
                f.values[((g * out + o) * in + c) * window + k];
  }
  Summed made = convolve(w, exchanged(x.values, w.batch, w.channels, w.height * w.width), weights,
                         bias_of(work, 2), accumulator);
  made.values = exchanged(made.values, w.batch, w.out_height * w.out_width, w.out_channels);
  return made;
}

}  // namespace edgeprobe::precision
