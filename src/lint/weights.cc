// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "core/index.h"
#include "core/text.h"
#include "lint/rules.h"
#include "model/format.h"

namespace edgeprobe::lint {
namespace {

// Kernels refuse or ignore larger deviations (LiteRT: 2 % of an output step).
constexpr double kSameUnit = 0.02;
// A channel that uses at most a quarter of its 127 codes loses two bits. Reported if at least 10 %
// of the channels do (the 90th percentile of the measured rule).
constexpr double kUsed = 32, kChannels = 0.1;
constexpr std::size_t kLeastChannels = 4;

const model::ModelTensor& tensor_of(const model::Graph& graph, int tensor) {
  return graph.tensors[at(tensor)];
}

// Empty for values that cannot be read here, which is not an error of the model.
Result<std::optional<Tensor>> values_of(const model::Graph& graph, ByteView file, int tensor) {
  if (tensor < 0) return std::optional<Tensor>{};
  auto read = model::constant(graph, file, tensor);
  if (read) return std::optional(*std::move(read));
  if (read.error().kind == ErrorKind::kCorrupt) return std::move(read.error());
  return std::optional<Tensor>{};
}

std::string many(std::size_t count, std::size_t of, const char* what) {
  return std::to_string(count) + " of " + std::to_string(of) + " " + what;
}

void lint_finite(const Weighted& one, int tensor, const Tensor& values, const char* what,
                 Findings& found) {
  if (!is_float(values.spec.dtype)) return;
  const auto read = to_float(values);
  if (!read) return;
  const auto bad = static_cast<std::size_t>(
      std::count_if(read->begin(), read->end(), [](float v) { return !std::isfinite(v); }));
  if (bad > 0)
    found.push_back({Rule::kNotFinite, Level::kFault, one.layer->index, tensor,
                     many(bad, read->size(), what) + " are NaN or infinite"});
}

// For each channel, the largest distance of its codes from their zero point.
std::vector<double> reach(const Tensor& codes, int axis) {
  const Shape& shape = codes.spec.shape;
  const auto read = stored_as_float(codes);
  if (!read || axis < 0 || at(axis) >= shape.size()) return {};
  std::size_t inner = 1;
  for (std::size_t d = at(axis) + 1; d < shape.size(); ++d)
    inner *= static_cast<std::size_t>(shape[d]);
  const auto count = static_cast<std::size_t>(shape[at(axis)]);
  if (count == 0 || inner == 0) return {};
  std::vector<double> most(count);
  for (std::size_t i = 0; i < read->size(); ++i) {
    const std::size_t c = i / inner % count;
    // The scales may be along another axis.
    const auto& zeros = codes.spec.quantization.zero_point;
    const bool each = zeros.size() == count;
    const double zero = zeros.empty() ? 0 : static_cast<double>(zeros[each ? c : 0]);
    most[c] = std::max(most[c], std::fabs(double{(*read)[i]} - zero));
  }
  return most;
}

void lint_codes(const Weighted& one, const Tensor& codes, Findings& found) {
  if (codes.spec.dtype != DType::kInt8 && codes.spec.dtype != DType::kUInt8) return;
  const Quantization& q = codes.spec.quantization;
  if (q.empty()) return;
  const bool takes_zero = one.layer->type == "CONV_2D" || one.layer->type == "DEPTHWISE_CONV_2D" ||
                          one.layer->type == "FULLY_CONNECTED";
  const auto zero =
      std::find_if(q.zero_point.begin(), q.zero_point.end(), [](std::int64_t z) { return z != 0; });
  if (codes.spec.dtype == DType::kInt8 && takes_zero && zero != q.zero_point.end())
    found.push_back({Rule::kWeightZero, Level::kFault, one.layer->index, one.weights,
                     "the zero point of the int8 weights is " + std::to_string(*zero) +
                         "; the format says 0, and engines refuse it or take it as 0"});
  const std::vector<double> most = reach(codes, one.channel_axis);
  if (most.size() < kLeastChannels || one.layer->type == "FULLY_CONNECTED") return;
  std::size_t live = 0, few = 0;
  double least = 255;
  for (const double channel : most) {
    live += channel > 0;
    few += channel > 0 && channel < kUsed;
    if (channel > 0) least = std::min(least, channel);
  }
  if (few == 0 || static_cast<double>(few) < kChannels * static_cast<double>(live)) return;
  const bool shared = !q.per_channel();
  found.push_back({Rule::kWideWeights, Level::kRisk, one.layer->index, one.weights,
                   std::string(shared ? "the weights have one scale for all channels; "
                                      : "the scales of the weights are wider than the weights; ") +
                       many(few, live, "channels") +
                       " use fewer than 32 codes to a side, the least " + number(least, 3) +
                       (shared ? ": quantise per channel" : ": quantise again")});
}

// Checks that a bias has the unit of the sums it is added to.
void lint_bias(const model::Graph& graph, const Weighted& one, const Tensor& bias,
               Findings& found) {
  if (bias.spec.dtype != DType::kInt32) return;
  const auto codes = stored_as_float(bias);
  if (!codes || codes->empty()) return;
  // float32 cannot represent either limit of 32 bits exactly.
  const auto cut = static_cast<std::size_t>(
      std::count_if(codes->begin(), codes->end(), [](float v) { return std::fabs(v) >= 0x1p31F; }));
  if (cut > 0)
    found.push_back({Rule::kBiasCutOff, Level::kFault, one.layer->index, one.bias,
                     "the bias is cut off at the end of 32 bits in " +
                         many(cut, codes->size(), "channels") +
                         ": their weights are nearly 0, and so is their scale; set these weights "
                         "to 0, or keep the layer in float32"});
  if (one.input < 0 || one.weights < 0) return;
  const Quantization& x = tensor_of(graph, model::stored_form(graph, one.input)).spec.quantization;
  const Quantization& w = tensor_of(graph, one.weights).spec.quantization;
  const Quantization& b = bias.spec.quantization;
  if (x.scale.size() != 1 || w.empty() || b.empty()) return;
  double worst = 1;
  std::size_t off = 0, channel = 0;
  for (std::size_t c = 0; c < codes->size(); ++c) {
    if ((*codes)[c] == 0 || (w.per_channel() && c >= w.scale.size()) ||
        (b.per_channel() && c >= b.scale.size()))
      continue;
    const double times = double{x.scale[0]} * double{w.scale_at(c)} / double{b.scale_at(c)};
    if (!std::isfinite(times) || times <= 0 || std::fabs(times - 1) <= kSameUnit) continue;
    ++off;
    if (std::fabs(std::log(times)) > std::fabs(std::log(worst))) worst = times, channel = c;
  }
  if (off == 0) return;
  // LiteRT 2.3 never reads a bias's own scale; ONNX Runtime 1.31 does so in a Conv, but not in a
  // fused Gemm.
  const bool ignored = model::format_of(graph) == model::Format::kTflite;
  found.push_back({Rule::kBiasScale, ignored ? Level::kFault : Level::kRisk, one.layer->index,
                   one.bias,
                   "the bias has another unit than the input's scale times the weights' in " +
                       many(off, codes->size(), "channels") +
                       (ignored ? ": kernels add it as it is stored, and count it "
                                : ": an engine that adds it as it is stored counts it ") +
                       number(worst, 3) + " times (channel " + std::to_string(channel) + ")"});
}

Status lint_norm(const model::Graph& graph, ByteView file, const model::Layer& layer,
                 Findings& found) {
  if (layer.type != "BatchNormalization" || layer.inputs.size() < 5) return {};
  EP_TRY(const auto variance, values_of(graph, file, layer.inputs[4]));
  if (!variance) return {};
  const auto values = to_float(*variance);
  if (!values) return {};
  const auto below = static_cast<std::size_t>(
      std::count_if(values->begin(), values->end(), [](float v) { return !(v >= 0); }));
  if (below > 0)
    found.push_back({Rule::kNotFinite, Level::kFault, layer.index, layer.inputs[4],
                     many(below, values->size(), "variances") + " are below 0 or NaN"});
  return {};
}

}  // namespace

Status lint_weights(const model::Graph& graph, ByteView file, const std::vector<Weighted>& weighted,
                    Findings& found) {
  // Tensors shared by several layers are judged at the first.
  std::set<int> seen;
  for (const Weighted& one : weighted) {
    const int stored = seen.insert(one.weights).second ? one.weights : -1;
    EP_TRY(const auto weights, values_of(graph, file, stored));
    if (weights) {
      lint_finite(one, one.weights, *weights, "weights", found);
      lint_codes(one, *weights, found);
    }
    EP_TRY(const auto bias, values_of(graph, file, seen.insert(one.bias).second ? one.bias : -1));
    if (bias) {
      lint_finite(one, one.bias, *bias, "values of the bias", found);
      lint_bias(graph, one, *bias, found);
    }
  }
  for (const model::Layer& layer : graph.layers) EP_CHECK(lint_norm(graph, file, layer, found));
  return {};
}

}  // namespace edgeprobe::lint
