// SPDX-License-Identifier: Apache-2.0
#include "precision/sums.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include "model/attributes.h"
#include "precision/number_format.h"

namespace edgeprobe::precision {
namespace {

using std::size_t;

Error unknown(const std::string& what) {
  return {ErrorKind::kUnsupported, what + " is not emulated"};
}

template <class T>
T attribute(const model::Attributes& all, std::string_view name, T otherwise) {
  for (const model::Attribute& one : all)
    if (one.name == name)
      if (const T* value = std::get_if<T>(&one.value)) return *value;
  return otherwise;
}
size_t whole(const model::Attributes& all, std::string_view name, std::int64_t otherwise) {
  return static_cast<size_t>(std::max<std::int64_t>(1, attribute(all, name, otherwise)));
}

float relu_of(const model::Attributes& all, float value) {
  const std::string fused = attribute<std::string>(all, "fused_activation", "NONE");
  if (fused == "RELU") return std::max(value, 0.0F);
  if (fused == "RELU6") return std::min(std::max(value, 0.0F), 6.0F);
  if (fused == "RELU_N1_TO_1") return std::min(std::max(value, -1.0F), 1.0F);
  return value;
}
bool knows_activation(const model::Attributes& all) {
  const std::string fused = attribute<std::string>(all, "fused_activation", "NONE");
  return fused == "NONE" || fused == "RELU" || fused == "RELU6" || fused == "RELU_N1_TO_1";
}

// With eight lanes where the processor has them; no fused multiply-add, so that every machine
// gives the same sums.
#if defined(__x86_64__)
#define EDGEPROBE_LANES __attribute__((target_clones("avx2", "default")))
#else
#define EDGEPROBE_LANES
#endif

// Bits of the magnitude: they grow with it, infinity and NaN last.
std::uint32_t size_bits(float value) { return std::bit_cast<std::uint32_t>(value) & 0x7fffffffU; }

EDGEPROBE_LANES std::uint32_t add_scaled(float* s, float x, const float* w, size_t n, bool half,
                                         std::uint32_t most) {
  if (half)
    for (size_t i = 0; i < n; ++i) s[i] = to_float16(s[i] + x * w[i]);
  else
    for (size_t i = 0; i < n; ++i) s[i] += x * w[i];
  for (size_t i = 0; i < n; ++i) most = std::max(most, size_bits(s[i]));
  return most;
}
EDGEPROBE_LANES std::uint32_t add_products(float* s, const float* x, const float* w, size_t n,
                                           bool half, std::uint32_t most) {
  if (half)
    for (size_t i = 0; i < n; ++i) s[i] = to_float16(s[i] + x[i] * w[i]);
  else
    for (size_t i = 0; i < n; ++i) s[i] += x[i] * w[i];
  for (size_t i = 0; i < n; ++i) most = std::max(most, size_bits(s[i]));
  return most;
}

/// A row of accumulators.
class Row {
 public:
  Row(size_t width, Accumulator accumulator)
      : sums_(width),
        before_(accumulator == Accumulator::kFloat16Blocks ? width : 0),
        half_(accumulator != Accumulator::kFloat32) {}
  void clear() {
    std::fill(sums_.begin(), sums_.end(), 0.0F);
    std::fill(before_.begin(), before_.end(), 0.0F);
    terms_ = 0;
  }
  /// sums[i] += x * w[i]
  void add(float x, const float* w) {
    next();
    largest_ = add_scaled(sums_.data(), x, w, sums_.size(), half_, largest_);
  }
  /// sums[i] += x[i] * w[i]
  void add(const float* x, const float* w) {
    next();
    largest_ = add_products(sums_.data(), x, w, sums_.size(), half_, largest_);
  }
  float finish(size_t i, float bias) {
    const float all = before_.empty() ? sums_[i] : to_float16(before_[i] + sums_[i]);
    largest_ = std::max(largest_, size_bits(all));
    return half_ ? to_float16(all + bias) : all + bias;
  }
  double largest() const {
    const auto size = std::bit_cast<float>(largest_);
    return size == size ? size : std::numeric_limits<double>::infinity();
  }

 private:
  void next() {
    if (before_.empty() || terms_++ % kBlock != 0) return;
    for (size_t i = 0; i < sums_.size(); ++i) {
      before_[i] = to_float16(before_[i] + sums_[i]);
      largest_ = std::max(largest_, size_bits(before_[i]));
      sums_[i] = 0;
    }
  }

  std::vector<float> sums_, before_;  ///< Of this block, of those before.
  bool half_;
  size_t terms_ = 0;
  std::uint32_t largest_ = 0;  ///< size_bits().
};

size_t product(const Shape& shape, size_t from, size_t to) {
  size_t n = 1;
  for (size_t i = from; i < to; ++i) n *= static_cast<size_t>(shape[i]);
  return n;
}

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

// [N][C][H W] to [N][H W][C], or back.
std::vector<float> exchanged(const std::vector<float>& values, size_t n, size_t a, size_t b) {
  std::vector<float> out(values.size());
  for (size_t i = 0; i < n; ++i)
    for (size_t x = 0; x < a; ++x)
      for (size_t y = 0; y < b; ++y) out[(i * b + y) * a + x] = values[(i * a + x) * b + y];
  return out;
}

std::int64_t same_pad(size_t in, size_t out, size_t window, size_t stride, size_t dilation) {
  const auto needed = static_cast<std::int64_t>((out - 1) * stride + (window - 1) * dilation + 1) -
                      static_cast<std::int64_t>(in);
  return std::max<std::int64_t>(0, needed) / 2;
}

std::vector<float> bias_of(const Sum& work, size_t input) {
  return work.inputs.size() > input && work.inputs[input] ? work.inputs[input]->values
                                                          : std::vector<float>{};
}

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

// A [M K] times B [K N], B shared by all rows; or, with equal leading dimensions, one B each.
Result<Summed> multiply(const std::vector<float>& a, const std::vector<float>& b, size_t batches,
                        size_t m, size_t k, size_t n, bool shared, const std::vector<float>& bias,
                        Accumulator accumulator) {
  if (a.size() != batches * m * k || b.size() != (shared ? 1 : batches) * k * n)
    return unknown("a product of these shapes");
  if (!bias.empty() && bias.size() != n && bias.size() != 1) return unknown("a bias of that shape");
  Row row(n, accumulator);
  Summed made;
  made.values.resize(batches * m * n);
  for (size_t i = 0; i < batches * m; ++i) {
    row.clear();
    const float* matrix = b.data() + (shared ? 0 : i / m * k * n);
    for (size_t j = 0; j < k; ++j) row.add(a[i * k + j], matrix + j * n);
    for (size_t j = 0; j < n; ++j)
      made.values[i * n + j] = row.finish(j, bias.empty() ? 0.0F : bias[bias.size() == 1 ? 0 : j]);
  }
  made.largest_partial = row.largest();
  return made;
}

Result<Summed> product_of(const Sum& work, Accumulator accumulator) {
  const Array &x = *work.inputs[0], &f = *work.inputs[1];
  const model::Attributes& a = *work.attributes;
  const std::string& type = work.layer->type;
  if (f.shape.size() < 2 || x.shape.empty()) return unknown("a product of these shapes");
  const size_t rank = f.shape.size(), xr = x.shape.size();
  const auto dim = [](const Shape& s, size_t i) { return static_cast<size_t>(s[i]); };
  if (type == "FULLY_CONNECTED") {
    const size_t n = dim(f.shape, 0), k = dim(f.shape, 1);
    if (k == 0) return unknown("a product of these shapes");
    return multiply(x.values, exchanged(f.values, 1, n, k), 1, x.values.size() / k, k, n, true,
                    bias_of(work, 2), accumulator);
  }
  if (type == "Gemm") {
    if (attribute<std::int64_t>(a, "transA", 0) != 0 || attribute(a, "alpha", 1.0F) != 1.0F ||
        attribute(a, "beta", 1.0F) != 1.0F)
      return unknown("a Gemm with these attributes");
    const bool turned = attribute<std::int64_t>(a, "transB", 0) != 0;
    const size_t n = dim(f.shape, turned ? 0 : 1), k = dim(f.shape, turned ? 1 : 0);
    return multiply(x.values, turned ? exchanged(f.values, 1, n, k) : f.values, 1, dim(x.shape, 0),
                    k, n, true, bias_of(work, 2), accumulator);
  }
  if (type == "BATCH_MATMUL" && xr < 2) return unknown("a product of these shapes");
  const size_t k = dim(x.shape, xr - 1), n = dim(f.shape, rank - 1);
  if (rank == 2 && k > 0)
    return multiply(x.values, f.values, 1, x.values.size() / k, k, n, true, {}, accumulator);
  if (rank != xr || !std::equal(x.shape.begin(), x.shape.end() - 2, f.shape.begin()))
    return unknown("a product of these shapes");
  return multiply(x.values, f.values, product(x.shape, 0, xr - 2), dim(x.shape, xr - 2), k, n,
                  false, {}, accumulator);
}

// Axes of a reduction; empty: all.
std::vector<std::int64_t> axes_of(const Sum& work) {
  if (work.inputs.size() > 1 && work.inputs[1]) {
    std::vector<std::int64_t> axes;
    for (const float axis : work.inputs[1]->values) axes.push_back(static_cast<std::int64_t>(axis));
    return axes;
  }
  return attribute<std::vector<std::int64_t>>(*work.attributes, "axes", {});
}

Result<Summed> reduction(const Sum& work, Accumulator accumulator) {
  const Array& x = *work.inputs[0];
  const std::string& type = work.layer->type;
  const size_t rank = x.shape.size();
  std::vector<bool> gone(rank);
  if (type == "GlobalAveragePool") {
    for (size_t i = 2; i < rank; ++i) gone[i] = true;
  } else {
    const auto axes = axes_of(work);
    if (axes.empty()) gone.assign(rank, true);
    for (const std::int64_t axis : axes) {
      const std::int64_t place = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
      if (place < 0 || place >= static_cast<std::int64_t>(rank)) return unknown("that axis");
      gone[static_cast<size_t>(place)] = true;
    }
  }
  std::vector<size_t> step(rank);  // In the result, by dimension of the input.
  size_t results = 1;
  for (size_t i = rank; i-- > 0;)
    if (!gone[i]) step[i] = results, results *= static_cast<size_t>(x.shape[i]);
  Summed made;
  made.values.assign(results, 0.0F);
  std::vector<size_t> index(rank);
  size_t to = 0;
  float most = 0;
  const bool half = accumulator != Accumulator::kFloat32;
  const bool blocks = accumulator == Accumulator::kFloat16Blocks;
  std::vector<float> before(blocks ? results : 0);
  std::vector<size_t> terms(blocks ? results : 0);
  for (const float value : x.values) {
    float& total = made.values[to];
    if (blocks && terms[to]++ % kBlock == 0) {
      before[to] = to_float16(before[to] + total);
      most = std::max(most, std::fabs(before[to]));
      total = 0;
    }
    total = half ? to_float16(total + value) : total + value;
    most = std::max(most, std::fabs(total));
    for (size_t i = rank; i-- > 0;) {
      to += step[i];
      if (++index[i] < static_cast<size_t>(x.shape[i])) break;
      to -= step[i] * index[i];
      index[i] = 0;
    }
  }
  for (size_t i = 0; i < before.size(); ++i) {
    made.values[i] = to_float16(before[i] + made.values[i]);
    most = std::max(most, std::fabs(made.values[i]));
  }
  made.largest_partial = most;
  if (type != "SUM" && type != "ReduceSum" && results > 0) {
    const std::size_t count = x.values.size() / results;
    for (float& total : made.values) total /= static_cast<float>(count);
  }
  return made;
}

Result<Summed> dispatch(const Sum& work, Accumulator accumulator) {
  const std::string& type = work.layer->type;
  if (type == "CONV_2D" || type == "DEPTHWISE_CONV_2D") return conv_tflite(work, accumulator);
  if (type == "Conv") return conv_onnx(work, accumulator);
  if (type == "SUM" || type == "MEAN" || type == "ReduceSum" || type == "ReduceMean" ||
      type == "GlobalAveragePool")
    return reduction(work, accumulator);
  return product_of(work, accumulator);
}

}  // namespace

bool is_sum(const model::Layer& layer) {
  static constexpr std::string_view kKnown[] = {"CONV_2D",
                                                "DEPTHWISE_CONV_2D",
                                                "FULLY_CONNECTED",
                                                "BATCH_MATMUL",
                                                "SUM",
                                                "MEAN",
                                                "Conv",
                                                "Gemm",
                                                "MatMul",
                                                "ReduceSum",
                                                "ReduceMean",
                                                "GlobalAveragePool"};
  return std::find(std::begin(kKnown), std::end(kKnown), layer.type) != std::end(kKnown);
}

Result<Summed> sum(const Sum& work, Accumulator accumulator) {
  const bool pair = work.layer->type != "SUM" && work.layer->type != "MEAN" &&
                    work.layer->type != "ReduceSum" && work.layer->type != "ReduceMean" &&
                    work.layer->type != "GlobalAveragePool";
  if (!is_sum(*work.layer)) return unknown(work.layer->type);
  if (work.inputs.empty() || !work.inputs[0] ||
      (pair && (work.inputs.size() < 2 || !work.inputs[1])))
    return unknown("an operator without its operands");
  if (!knows_activation(*work.attributes)) return unknown("that fused activation");
  auto made = dispatch(work, accumulator);
  if (!made) return made;
  size_t wanted = 1;
  for (const std::int64_t dim : work.output) wanted *= static_cast<size_t>(dim);
  if (made->values.size() != wanted) return unknown("an operator of that shape");
  for (float& value : made->values) value = relu_of(*work.attributes, value);
  return made;
}

}  // namespace edgeprobe::precision
