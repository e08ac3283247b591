// SPDX-License-Identifier: Apache-2.0
#include "compare/align/constants.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compare/align/channel_scale.h"
#include "compare/align/converted.h"
#include "compare/align/layout.h"
#include "compare/align/moved_channels.h"
#include "compare/align/weighted_pairs.h"
#include "core/codes.h"
#include "core/text.h"
#include "model/format.h"
#include "stats/quantile.h"

namespace edgeprobe::compare {
namespace {

constexpr double kMostWeightSteps = 1.02;  // half a step for each of two roundings, plus a margin
constexpr double kMostBiasShare = 0.05;
constexpr double kMostScaleOff = 0.01;  // a written scale is a product rounded to 24 bits
// 2^31 - 128, the largest float below 2^31: converters clamp in float
constexpr std::int32_t kBiasEnd = 2147483520;
// A channel smaller than this fraction of the largest is dead and needs no steps.
constexpr double kDead = 1e-5;
constexpr double kLargest = 1e9;  // means "without bound", so that no infinity is reported

// Largest absolute weight of each channel, and the channel of each element.
struct Channels {
  std::size_t count = 1, inner = 1;
  std::size_t of(std::size_t element) const { return element / inner % count; }
};

Channels channels_of(const Shape& shape, int axis) {
  Channels channels;
  if (axis < 0 || static_cast<std::size_t>(axis) >= shape.size()) return channels;
  channels.count =
      std::max<std::size_t>(1, static_cast<std::size_t>(shape[static_cast<std::size_t>(axis)]));
  for (std::size_t d = static_cast<std::size_t>(axis) + 1; d < shape.size(); ++d)
    channels.inner *= static_cast<std::size_t>(shape[d]);
  return channels;
}

double step_of(const TensorSpec& spec, std::size_t channel, std::size_t channels,
               double largest_weight) {
  if (!holds_codes(spec)) return largest_weight / 127;
  const Quantization& q = spec.quantization;
  return double{q.scale[q.per_channel() && q.scale.size() == channels ? channel : 0]};
}

void compare_weights(const Tensor& reference, const Tensor& target, const std::vector<float>& r,
                     const std::vector<float>& t, int axis, LayerConstants& out) {
  const Channels channels = channels_of(reference.spec.shape, axis);
  std::vector<double> largest(channels.count), difference(channels.count);
  for (std::size_t i = 0; i < r.size(); ++i) {
    const std::size_t c = channels.of(i);
    const double d = std::fabs(double{r[i]} - double{t[i]});
    difference[c] = std::max(difference[c], std::isfinite(d) ? d : kLargest);
    largest[c] = std::max({largest[c], std::fabs(double{r[i]}), std::fabs(double{t[i]})});
  }
  double worst = 0;
  std::vector<double> widths;
  const bool one_scale = holds_codes(target.spec) && target.spec.quantization.scale.size() == 1;
  const double live =
      kDead * (largest.empty() ? 0 : *std::max_element(largest.begin(), largest.end()));
  for (std::size_t c = 0; c < channels.count; ++c) {
    const double step_r = step_of(reference.spec, c, channels.count, largest[c]);
    const double step_t = step_of(target.spec, c, channels.count, largest[c]);
    const bool quantised_r = holds_codes(reference.spec), quantised_t = holds_codes(target.spec);
    const double step = quantised_r && quantised_t ? std::max(step_r, step_t)
                        : quantised_r              ? step_r
                                                   : step_t;
    if (difference[c] > 0)
      worst = std::max(worst, step > 0 ? std::min(kLargest, difference[c] / step) : kLargest);
    if (one_scale && largest[c] > live)
      widths.push_back(std::min(kLargest, step_t / (largest[c] / 127)));
  }
  out.weight_steps = worst;
  if (widths.empty()) return;
  out.step_width = stats::lower_quantile(widths, 0.9);
}

// The kernels' step of each bias: input scale times the channel's weight scale. Empty if unknown.
std::vector<double> bias_steps(const WeightedGraph& side, const model::Layer& layer,
                               std::size_t weights, std::size_t channels) {
  const std::size_t data = layer.type == "TRANSPOSE_CONV" ? 2 : 0;
  const model::ModelTensor* input =
      data < layer.inputs.size() ? side.at(layer.inputs[data]) : nullptr;
  const model::ModelTensor* stored = side.at(side.constant_in(layer, weights));
  if (!input || !stored || !holds_codes(input->spec) || !holds_codes(stored->spec) ||
      input->spec.quantization.scale.size() != 1)
    return {};
  const std::vector<float>& scales = stored->spec.quantization.scale;
  if (scales.size() != 1 && scales.size() != channels) return {};
  std::vector<double> steps(channels);
  for (std::size_t c = 0; c < channels; ++c)
    steps[c] =
        double{input->spec.quantization.scale[0]} * double{scales[scales.size() == 1 ? 0 : c]};
  return steps;
}

struct Bias {
  std::vector<float> real;  ///< The bias as the kernels read it; empty if there is none.
  std::vector<std::int32_t> codes;
  std::vector<double> steps;  ///< Step of one code, per channel; empty: unknown, or real numbers.
  double scale_ratio = 1;     ///< See LayerConstants::bias_scale_ratio.
};

Result<Bias> bias_of(const WeightedGraph& side, const model::Layer& layer, const Slots& slots) {
  Bias bias;
  const int index = side.bias_of(layer);
  if (index < 0) return bias;
  EP_TRY(const auto tensor, model::constant(side.graph, side.file, index));
  if (tensor.spec.dtype == DType::kInt32 && model::prescribes_rounding(side.graph)) {
    bias.codes.resize(tensor.bytes.size() / sizeof(std::int32_t));
    if (!bias.codes.empty())
      std::memcpy(bias.codes.data(), tensor.bytes.data(), bias.codes.size() * sizeof(std::int32_t));
    if (const auto steps = bias_steps(side, layer, slots.weights, bias.codes.size());
        !steps.empty()) {
      bias.steps = steps;
      const std::vector<float>& written = tensor.spec.quantization.scale;
      for (std::size_t c = 0; c < steps.size(); ++c) {
        bias.real.push_back(static_cast<float>(bias.codes[c] * steps[c]));
        const double scale =
            written.empty() ? 0 : double{written[written.size() == steps.size() ? c : 0]};
        if (!(scale > 0) || !(steps[c] > 0) || bias.codes[c] == 0) continue;
        const double ratio = steps[c] / scale;
        if (std::fabs(std::log(ratio)) >
            std::max(kMostScaleOff, std::fabs(std::log(bias.scale_ratio))))
          bias.scale_ratio = ratio;
      }
      return bias;
    }
  }
  EP_TRY(bias.real, to_float(tensor));
  const std::vector<float>& scales = tensor.spec.quantization.scale;
  if (is_integer(tensor.spec.dtype) && (scales.size() == 1 || scales.size() == bias.real.size()))
    for (std::size_t c = 0; c < bias.real.size(); ++c)
      bias.steps.push_back(double{scales[scales.size() == 1 ? 0 : c]});
  return bias;
}

// Combined effect of the reference's scales after an operator, except the last `kept`, which the
// target also has. Nothing if one of them is unknown, or the target has more.
Result<std::optional<ChannelScale>> together(const WeightedGraph& side, const model::Layer& layer,
                                             const std::vector<const model::Layer*>& scales,
                                             std::size_t kept) {
  const Slots slots = *slots_of(layer.type);
  const Shape& weights = side.at(side.constant_in(layer, slots.weights))->spec.shape;
  if (layer.type == "MatMul" || layer.type == "Gemm") return std::optional<ChannelScale>{};
  // Channels come before height and width in ONNX, after them in .tflite.
  const bool in_front = layer.type == "Conv" || layer.type == "ConvTranspose" ||
                        layer.type == "com.microsoft:FusedConv";
  const ChannelPlace place{channels_of(weights, slots.channel_axis).count,
                           in_front && weights.size() > 2 ? weights.size() - 2 : 0};
  if (scales.size() < kept) return std::optional<ChannelScale>{};
  ChannelScale all{
      std::vector<float>(place.channels, 1), std::vector<float>(place.channels), {}, -1};
  for (std::size_t i = 0; i + kept < scales.size(); ++i) {
    EP_TRY(auto one, channel_scale(side.graph, side.file, *scales[i], place));
    if (!one) return std::optional<ChannelScale>{};
    for (std::size_t c = 0; c < place.channels; ++c) {
      all.factor[c] *= one->factor[c];
      all.shift[c] = all.shift[c] * one->factor[c] + one->shift[c];
    }
  }
  return std::optional(std::move(all));
}

// Folds the scales after an operator into its weights and bias.
void fold_weights(const ChannelScale& norm, const Channels& channels, std::vector<float>& weights) {
  if (channels.count != norm.factor.size()) return;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::size_t c = channels.of(i);
    weights[i] *= norm.factor[c];
  }
}
void fold_bias(const ChannelScale& norm, std::vector<float>& bias) {
  if (bias.empty()) bias.resize(norm.factor.size());
  for (std::size_t c = 0; c < bias.size() && c < norm.factor.size(); ++c)
    bias[c] = bias[c] * norm.factor[c] + norm.shift[c];
}

Status compare_biases(const WeightedGraph& reference, const model::Layer& r_layer,
                      const WeightedGraph& target, const model::Layer& t_layer, const Slots& slots,
                      const Slots& slots_t, const std::optional<ChannelScale>& folded,
                      LayerConstants& out) {
  EP_TRY(auto r, bias_of(reference, r_layer, slots));
  if (folded) fold_bias(*folded, r.real);
  EP_TRY(const auto t, bias_of(target, t_layer, slots_t));
  if (r.real.empty() && t.real.empty()) return {};
  const std::size_t n = std::max(r.real.size(), t.real.size());
  if (!r.real.empty() && !t.real.empty() && r.real.size() != t.real.size()) {
    out.bias_share = kLargest;
    return {};
  }
  double largest = 0, difference = 0;  // an absent bias is a bias of zeros
  for (std::size_t i = 0; i < n; ++i) {
    const double rv = r.real.empty() ? 0 : double{r.real[i]},
                 tv = t.real.empty() ? 0 : double{t.real[i]};
    largest = std::max(largest, r.real.empty() ? std::fabs(tv) : std::fabs(rv));
    // A bias in coarse steps, for instance after an input with a wide scale, may differ by
    // rounding.
    if (i >= t.steps.size() || std::fabs(rv - tv) > kMostWeightSteps / 2 * t.steps[i])
      difference = std::max(difference, std::fabs(rv - tv));
    if (i >= t.codes.size()) continue;
    const std::int32_t code = t.codes[i];
    const bool at_the_end = code >= kBiasEnd || code <= -kBiasEnd;
    out.cut_off += at_the_end && std::fabs(rv) > std::fabs(tv) * (1 + kMostScaleOff);
  }
  out.bias_share = !(difference > 0) ? 0.0
                   : largest > 0     ? std::min(kLargest, difference / largest)
                                     : kLargest;
  // A differently written scale is harmless if the result is right. If the weights differ too,
  // their scale may be the one that changed.
  if (*out.bias_share > kMostBiasShare && out.weight_steps.value_or(0) <= kMostWeightSteps)
    out.bias_scale_ratio = t.scale_ratio;
  if (out.bias_fault()) out.right_bias = r.real.empty() ? std::vector<float>(n) : std::move(r.real);
  return {};
}

// Sorts the weights of each output of a matrix: its inputs may come in another order.
void sort_inputs(const Shape& shape, int output_axis, std::vector<float>& values) {
  const auto rows = static_cast<std::size_t>(shape[0]),
             columns = static_cast<std::size_t>(shape[1]);
  const std::size_t outputs = output_axis == 0 ? rows : columns,
                    inputs = output_axis == 0 ? columns : rows;
  std::vector<float> one(inputs);
  for (std::size_t o = 0; o < outputs; ++o) {
    const auto place = [&](std::size_t i) {
      return output_axis == 0 ? o * columns + i : i * columns + o;
    };
    for (std::size_t i = 0; i < inputs; ++i) one[i] = values[place(i)];
    std::sort(one.begin(), one.end());
    for (std::size_t i = 0; i < inputs; ++i) values[place(i)] = one[i];
  }
}

// The weights of an operator in its format's layout.
ChannelBlocks blocks_of(const WeightedGraph& side, const model::Layer& layer) {
  const Shape& shape = side.at(side.constant_in(layer, slots_of(layer.type)->weights))->spec.shape;
  const auto product = [&](std::size_t from, std::size_t to) {
    std::size_t all = 1;
    for (std::size_t d = from; d < to; ++d) all *= static_cast<std::size_t>(shape[d]);
    return all;
  };
  const std::size_t rank = shape.size();
  if (rank < 2) return {};
  if (layer.type == "DEPTHWISE_CONV_2D") {
    const std::size_t channels = product(rank - 1, rank);
    return {channels, 1, product(0, rank - 1), 1, 0, channels};
  }
  const std::size_t outputs = product(0, 1);
  if (side.graph.format == "tflite" && rank > 2) {
    const std::size_t inputs = product(rank - 1, rank);
    return {outputs, inputs, product(1, rank - 1), product(1, rank), 1, inputs};
  }
  return {outputs, product(1, 2), product(2, rank), product(1, rank), product(2, rank), 1};
}

Result<LayerConstants> compare_layer(const WeightedGraph& reference, const model::Layer& r,
                                     const WeightedGraph& target, const model::Layer& t,
                                     std::optional<ChannelScale> folded) {
  const Slots slots = *slots_of(r.type), slots_t = *slots_of(t.type);
  LayerConstants out;
  out.reference_layer = r.index;
  out.target_layer = t.index;
  out.type = r.type;
  if (!r.outputs.empty() && reference.at(r.outputs[0]))
    out.name = reference.at(r.outputs[0])->spec.name;
  EP_TRY(const auto w_r,
         model::constant(reference.graph, reference.file, reference.constant_in(r, slots.weights)));
  EP_TRY(const auto w_t,
         model::constant(target.graph, target.file, target.constant_in(t, slots_t.weights)));
  const auto order = weights_order(target, t, reference, r);
  const bool converted = order && !order->empty();
  Shape moved_shape = w_t.spec.shape;
  if (converted)
    for (std::size_t i = 0; i < order->size(); ++i)
      moved_shape[i] = w_t.spec.shape[static_cast<std::size_t>((*order)[i])];
  out.same_shape = w_r.spec.shape == moved_shape;
  std::vector<float> values_r, values_t;
  if (out.same_shape) {
    out.identical = w_r.spec.dtype == w_t.spec.dtype &&
                    w_r.spec.quantization == w_t.spec.quantization && w_r.bytes == w_t.bytes;
    // If the weights are equal in both files, no scale was folded into them: it must be elsewhere.
    if (out.identical) folded.reset();
    EP_TRY(values_r, to_float(w_r));
    EP_TRY(const auto moved, converted ? transposed(w_t, *order) : Result<Tensor>(w_t));
    EP_TRY(values_t, to_float(moved));
    if (folded) fold_weights(*folded, channels_of(w_r.spec.shape, slots.channel_axis), values_r);
    // Per-channel scales state the channel axis.
    int axis = slots.channel_axis;
    for (const Tensor* one : {&w_r, &w_t})
      if (holds_codes(one->spec) && one->spec.quantization.per_channel() && !converted)
        axis = one->spec.quantization.axis;
    if (reference.graph.format != target.graph.format && w_r.spec.shape.size() == 2) {
      // .tflite has the outputs first; ONNX has them last if the order differs.
      axis = reference.graph.format == "tflite" || !converted ? 0 : 1;
      sort_inputs(w_r.spec.shape, axis, values_r);
      sort_inputs(w_r.spec.shape, axis, values_t);
    }
    compare_weights(w_r, w_t, values_r, values_t, axis, out);
  }
  EP_CHECK(compare_biases(reference, r, target, t, slots, slots_t, folded, out));
  out.identical = !folded && out.identical && out.bias_share.value_or(0) == 0;
  out.weights_differ = !out.same_shape || out.weight_steps.value_or(0) > kMostWeightSteps;
  if (out.same_shape && out.weights_differ)
    out.moved_channels = are_moved_channels(blocks_of(reference, r), values_r, values_t);
  out.differs = out.weights_differ || out.bias_share.value_or(0) > kMostBiasShare;
  return out;
}

std::string of_layers(std::size_t some, std::size_t all) {
  return std::to_string(some) + " of " + std::to_string(all) + (all == 1 ? " layer" : " layers");
}

void decide(ConstantComparison& result) {
  const std::size_t all =
      std::max(result.weighted_reference, result.weighted_target) - result.unreadable;
  const double limit = std::max(2.0, 0.3 * static_cast<double>(result.paired));
  if (all == 0) {
    result.sentence =
        "neither model has convolutions or fully connected layers with stored weights to compare";
    return;
  }
  const std::string moved = result.moved == 0
                                ? ""
                                : "; in " + std::to_string(result.moved) +
                                      " more the channels were scaled or put in another order";
  const std::string folded = result.folded == 0
                                 ? ""
                                 : "; " + std::to_string(result.folded) +
                                       " more have a batch norm in their weights on only one side";
  if (2 * (result.paired + result.folded) < all) {
    result.other_model = true;
    result.few_pairs = true;
    result.sentence = "only " + of_layers(result.paired + result.folded, all) +
                      " with weights have a counterpart: the graphs differ";
    return;
  }
  result.other_model = static_cast<double>(result.differing) > limit;
  double worst = 0;
  const LayerConstants* first = nullptr;
  for (const LayerConstants& layer : result.layers) {
    if (!layer.moved_channels) worst = std::max(worst, layer.weight_steps.value_or(0));
    if (layer.weights_differ && !layer.moved_channels && !first) first = &layer;
  }
  if (!first) {
    result.sentence = "the weights agree in " + of_layers(result.paired - result.moved, all) +
                      " (largest difference " + number(worst, 2) + " quantisation steps)" + folded +
                      moved;
    return;
  }
  result.sentence = "weights differ by more than rounding in " +
                    of_layers(result.differing, result.paired) + "; the first, '" +
                    sanitized(first->name, 60) + "', ";
  if (!first->same_shape) {
    result.sentence += "has another shape";
  } else {
    result.sentence += "by " + number(*first->weight_steps, 3) +
                       " quantisation steps, where rounding gives at most 0.5";
  }
}

}  // namespace

Result<ConstantComparison> compare_constants(const model::Graph& reference, ByteView reference_file,
                                             const model::Graph& target, ByteView target_file,
                                             const Mapping& mapping) {
  ConstantComparison result;
  if (reference.format != target.format) {
    result.sentence =
        "constants of two formats are not compared: converters fold and transpose them";
    return result;
  }
  const WeightedGraph r{reference, reference_file}, t{target, target_file};
  return compare_constants(r, t, weighted_pairs(r, t, mapping));
}

Result<ConstantComparison> compare_constants(
    const WeightedGraph& r, const WeightedGraph& t,
    const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
  ConstantComparison result;
  for (const model::Layer& layer : r.graph.layers)
    result.weighted_reference += r.is_weighted(layer);
  for (const model::Layer& layer : t.graph.layers) result.weighted_target += t.is_weighted(layer);

  for (const auto& [l, m] : pairs) {
    const model::Layer& layer_r = r.graph.layers[l];
    const model::Layer& layer_t = t.graph.layers[m];
    const auto scales_r = r.scales_behind(layer_r), scales_t = t.scales_behind(layer_t);
    std::optional<ChannelScale> folded;
    if (scales_r.size() != scales_t.size()) {
      EP_TRY(folded, together(r, layer_r, scales_r, scales_t.size()));
      if (!folded) {
        ++result.folded;
        continue;
      }
    }
    auto layer = compare_layer(r, layer_r, t, layer_t, folded);
    if (!layer && layer.error().kind == ErrorKind::kUnsupported) {
      ++result.unreadable;
      continue;
    }
    if (!layer) return std::move(layer.error()).during("layer " + std::to_string(layer_r.index));
    result.differing += layer->weights_differ && !layer->moved_channels;
    result.moved += layer->moved_channels;
    ++result.paired;
    result.layers.push_back(*std::move(layer));
  }
  std::sort(result.layers.begin(), result.layers.end(),
            [](const LayerConstants& a, const LayerConstants& b) {
              return a.reference_layer < b.reference_layer;
            });
  decide(result);
  return result;
}

}  // namespace edgeprobe::compare
