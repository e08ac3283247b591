// SPDX-License-Identifier: Apache-2.0
#include "layers/replay/kernel_error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "compare/align/op_kind.h"
#include "core/index.h"
#include "core/integer_limits.h"
#include "core/text.h"
#include "layers/replay/exact.h"
#include "model/state.h"

namespace edgeprobe::layers {
namespace {

// Healthy kernels of three sets and 14 models never differ by more than one step on the same
// inputs.
constexpr double kMostSteps = 1;
constexpr double kMostMean = 0.35;  // Steps; healthy kernels at most .215, truncation at least .44.
constexpr std::uint64_t kLeastLive = 200;
constexpr double kMostRelative = 1e-4;     // Healthy kernels at most 1.1e-5.
constexpr double kMostExponential = 1e-3;  // Softmax of healthy kernels: 9e-5.
constexpr double kMostHybrid = 0.05;       // Relative L2; healthy kernels .031.
// For values stored in 16 bits, in units of their rounding: an engine may keep 32 bits between two
// layers, so the layer's actual input was not rounded. For a single value, healthy kernels reach
// 17.
constexpr double kMostRoundings = 8, kMostRoundingsOfOne = 64;
constexpr double kLargest = 1e9;  // Means "without bound".

void add_integers(const std::vector<float>& host, const std::vector<float>& target,
                  const TensorSpec& spec, KernelErrorSums& sums) {
  const auto limits = code_limits(spec.dtype);
  const double zero =
      static_cast<double>(spec.quantization.empty() ? 0 : spec.quantization.zero_point_at(0));
  for (std::size_t i = 0; i < host.size(); ++i) {
    const double h = host[i], t = target[i], d = t - h;
    ++sums.elements;
    sums.differing += d != 0;
    sums.largest = std::max(sums.largest, std::fabs(d));
    sums.squared += d * d;
    sums.norm += (h - zero) * (h - zero);
    sums.low = std::min(sums.low, h);
    sums.high = std::max(sums.high, h);
    const bool ends = limits && (std::min(h, t) <= double(limits->least) ||
                                 std::max(h, t) >= double(limits->most));
    if (ends || h == zero) continue;
    sums.live += d;
    ++sums.live_count;
  }
}

// add_integers() of two tensors with codes of one byte. All sums are whole numbers below 2^53, so
// their order does not matter: equal codes are counted first, and their sums made of the counts.
template <class Code>
void add_bytes(const Tensor& host, const Tensor& target, const TensorSpec& spec,
               KernelErrorSums& sums) {
  // Several tables, because codes repeat and each count would wait for the one before it.
  std::array<std::array<std::uint32_t, 256>, 4> counts{};
  std::array<std::uint64_t, 256> equal{};
  std::vector<float> host_codes, target_codes;
  const std::byte *const a = host.bytes.data(), *const b = target.bytes.data();
  const auto count = [&](std::size_t i) {
    const auto h = static_cast<std::uint8_t>(a[i]), t = static_cast<std::uint8_t>(b[i]);
    if (h == t) {
      ++equal[h];
      return;
    }
    host_codes.push_back(static_cast<float>(static_cast<Code>(h)));
    target_codes.push_back(static_cast<float>(static_cast<Code>(t)));
  };
  constexpr std::size_t kBlock = 64;
  std::size_t i = 0;
  for (; i + kBlock <= host.bytes.size(); i += kBlock) {
    if (std::memcmp(a + i, b + i, kBlock) == 0)
      for (std::size_t j = i; j < i + kBlock; j += counts.size())
        for (std::size_t k = 0; k < counts.size(); ++k)
          ++counts[k][static_cast<std::uint8_t>(a[j + k])];
    else
      for (std::size_t j = i; j < i + kBlock; ++j) count(j);
  }
  for (; i < host.bytes.size(); ++i) count(i);
  for (const auto& table : counts)
    for (std::size_t code = 0; code < equal.size(); ++code) equal[code] += table[code];
  add_integers(host_codes, target_codes, spec, sums);
  const auto limits = code_limits(spec.dtype);
  const double zero =
      static_cast<double>(spec.quantization.empty() ? 0 : spec.quantization.zero_point_at(0));
  for (std::size_t code = 0; code < equal.size(); ++code) {
    if (equal[code] == 0) continue;
    const double h = static_cast<Code>(code), n = static_cast<double>(equal[code]);
    sums.elements += equal[code];
    sums.norm += n * (h - zero) * (h - zero);
    sums.low = std::min(sums.low, h);
    sums.high = std::max(sums.high, h);
    const bool ends = limits && (h <= double(limits->least) || h >= double(limits->most));
    if (!ends && h != zero) sums.live_count += equal[code];
  }
}

void add_reals(const std::vector<float>& host, const std::vector<float>& target,
               KernelErrorSums& sums) {
  for (std::size_t i = 0; i < host.size(); ++i) {
    const double h = host[i], t = target[i];
    ++sums.elements;
    if (!std::isfinite(h) || !std::isfinite(t)) {
      const bool same = h == t || (std::isnan(h) && std::isnan(t));
      sums.not_finite += !same;
      continue;
    }
    const double d = t - h;
    sums.differing += d != 0;
    sums.largest = std::max(sums.largest, std::fabs(d));
    sums.squared += d * d;
    sums.norm += h * h;
    sums.live += d;
    ++sums.live_count;
  }
}

bool is_hybrid(const model::Graph& graph, const model::Layer& layer) {
  if (layer.inputs.empty() || layer.inputs[0] < 0 ||
      graph.tensors[at(layer.inputs[0])].spec.dtype != DType::kFloat32)
    return false;
  return std::any_of(layer.weights.begin(), layer.weights.end(), [&](int weight) {
    const DType dtype = graph.tensors[at(weight)].spec.dtype;
    return dtype == DType::kInt8 || dtype == DType::kUInt8 || dtype == DType::kInt4;
  });
}

// Relative change when a value of the layer is stored, for float16 or bfloat16; 0 for wider types.
double rounding_of(const model::Graph& graph, const model::Layer& layer) {
  double rounding = 0;
  for (const auto* const tensors : {&layer.inputs, &layer.outputs})
    for (const int tensor : *tensors) {
      if (tensor < 0 || graph.tensors[at(tensor)].is_constant) continue;
      const DType dtype = graph.tensors[at(tensor)].spec.dtype;
      rounding = std::max(rounding, dtype == DType::kFloat16    ? 0x1p-11
                                    : dtype == DType::kBFloat16 ? 0x1p-8
                                                                : 0.0);
    }
  return rounding;
}

}  // namespace

std::string unplayable(const ModelFile& target, int layer, const Values& values) {
  const model::Graph& graph = *target.graph;
  const model::Layer& op = graph.layers[at(layer)];
  if (model::touches_state(graph, op))
    return "it keeps a state from one run to the next; every layer is judged only on frames that "
           "begin "
           "a sequence";
  if (op.type.rfind("RANDOM_", 0) == 0 || op.type == "MULTINOMIAL" ||
      op.type.rfind("Random", 0) == 0 || op.type == "Multinomial" || op.type == "Bernoulli")
    return "it draws random numbers";
  const model::Part part = model::one_op(graph, layer);
  if (part.inputs.empty()) return "it computes a constant";
  for (const int input : part.inputs)
    if (!values.find(input))
      return "its input '" + sanitized(target.spec(input).name, 60) + "' was not recorded";
  for (const int output : part.outputs)
    if (!values.find(output))
      return "its output '" + sanitized(target.spec(output).name, 60) + "' was not recorded";
  return "";
}

Result<Fragment> open_layer(const Host& host, const ModelFile& model, int layer,
                            const Values& values) {
  model::Part part = model::one_op(*model.graph, layer);
  std::vector<Shape> shapes;
  for (const int input : part.inputs) {
    const TensorSpec* spec = values.find(input);
    if (!spec)
      return Error{ErrorKind::kNotFound,
                   "input '" + sanitized(model.spec(input).name, 60) + "' has no recorded values"};
    shapes.push_back(spec->shape);
  }
  return Fragment::open(host, model, std::move(part), shapes);
}

void KernelErrorSums::add_codes(const TensorSpec& stored, const std::vector<float>& expected,
                                const std::vector<float>& seen) {
  add_integers(expected, seen, stored, *this);
}

Status KernelErrorSums::add(const TensorSpec& stored, const Tensor& host, const Tensor& seen) {
  const bool integer = is_integer(stored.dtype) || stored.dtype == DType::kBool;
  integers = integers && integer;
  const DType dtype = host.spec.dtype;
  if (integer && dtype == seen.spec.dtype && host.bytes.size() == seen.bytes.size() &&
      host.bytes.size() == host.spec.byte_size() && seen.bytes.size() == seen.spec.byte_size()) {
    if (dtype == DType::kInt8) return add_bytes<std::int8_t>(host, seen, stored, *this), Status();
    if (dtype == DType::kUInt8) return add_bytes<std::uint8_t>(host, seen, stored, *this), Status();
  }
  EP_TRY(const auto expected, integer ? stored_as_float(host) : to_float(host));
  EP_TRY(const auto found, integer ? stored_as_float(seen) : to_float(seen));
  if (expected.size() != found.size())
    return Error{ErrorKind::kUnsupported, "its output has " + std::to_string(found.size()) +
                                              " values in the trace, " +
                                              std::to_string(expected.size()) + " in the replay"};
  if (integer) add_codes(stored, expected, found);
  else add_reals(expected, found, *this);
  return {};
}

KernelError KernelErrorSums::judged(const ModelFile& target, int layer) const {
  KernelError kernel_error;
  kernel_error.layer = layer;
  kernel_error.integer = integers;
  kernel_error.elements = elements;
  kernel_error.live = live_count;
  kernel_error.not_finite = not_finite;
  if (elements == 0) return kernel_error;
  const double n = static_cast<double>(elements);
  const double rms = std::sqrt(norm / n);
  const auto relative = [&](double value) {
    return value == 0 ? 0 : rms > 0 ? std::min(kLargest, value / rms) : kLargest;
  };
  kernel_error.differing = static_cast<double>(differing) / n;
  kernel_error.relative_l2 = relative(std::sqrt(squared / n));
  const double mean = live_count ? live / static_cast<double>(live_count) : 0;
  kernel_error.largest = integers ? largest : relative(largest);
  kernel_error.mean = integers ? mean : std::copysign(relative(std::fabs(mean)), mean);
  if (integers) kernel_error.steps_used = high - low;
  judge(target, kernel_error);
  return kernel_error;
}

namespace {

// The kernel error against real arithmetic, without a kernel; nothing if the operator's arithmetic
// is not known.
Result<std::optional<KernelError>> exact_error_of(const ModelFile& target, int layer,
                                                  const model::Part& part, const Values& values) {
  std::optional<KernelError> none;
  if (part.outputs.size() != 1 || !has_exact_codes(target.graph->layers[at(layer)])) return none;
  EP_TRY(const auto attributes, model::attributes(*target.graph, target.bytes));
  KernelErrorSums sums;
  for (std::size_t frame = 0; frame < values.frames(); ++frame) {
    std::map<int, Tensor> inputs;
    for (const int input : part.inputs) {
      EP_TRY(auto value, values.read(input, frame));
      inputs.emplace(input, std::move(value));
    }
    auto codes = exact_codes(target, layer, attributes[at(layer)], inputs);
    EP_TRY(const auto recorded, values.read(part.outputs[0], frame));
    EP_TRY(const auto seen, stored_as_float(recorded));
    if (!codes || codes->size() != seen.size()) return none;
    sums.add_codes(target.spec(part.outputs[0]), *codes, seen);
  }
  return std::optional(sums.judged(target, layer));
}

}  // namespace

Result<KernelError> kernel_error_of(const ModelFile& target, int layer, Fragment& fragment,
                                    const Values& values) {
  KernelErrorSums sums;
  for (std::size_t frame = 0; frame < values.frames(); ++frame) {
    std::vector<Tensor> inputs;
    for (const int input : fragment.part().inputs) {
      EP_TRY(auto value, values.read(input, frame));
      inputs.push_back(std::move(value));
    }
    EP_TRY(auto outputs, fragment.run({inputs.begin(), inputs.end()}));
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      EP_TRY(const auto recorded, values.read(fragment.part().outputs[o], frame));
      EP_CHECK(sums.add(target.spec(fragment.part().outputs[o]), outputs[o], recorded));
    }
  }
  KernelError by_host = sums.judged(target, layer);
  if (!by_host.faulty || !by_host.integer) return by_host;
  // Exact arithmetic decides, because the host's kernel may be the biased one.
  EP_TRY(auto exact, exact_error_of(target, layer, fragment.part(), values));
  return exact ? *std::move(exact) : std::move(by_host);
}

double excess(const ModelFile& target, const KernelError& kernel_error) {
  const model::Graph& graph = *target.graph;
  const model::Layer& layer = graph.layers[at(kernel_error.layer)];
  if (!kernel_error.not_checked.empty()) return 0;
  if (kernel_error.integer) {
    const std::vector<int> shown = model::one_op(graph, layer.index).outputs;
    if (shown.empty()) return 0;
    const TensorSpec& spec = graph.tensors[at(shown.front())].spec;
    // Some kernels round twice in subtraction, and ONNX Runtime's integer softmax rounds down: a
    // difference of one step is normal for them.
    const bool biased =
        layer.type != "SUB" && layer.type != "Softmax" && kernel_error.live >= kLeastLive;
    const double most = size_of(spec.dtype) > 1 ? 3 * kMostSteps : kMostSteps;
    const double by_mean = biased ? std::fabs(kernel_error.mean) / kMostMean : 0;
    if (spec.quantization.empty())
      return kernel_error.largest > 0 ? std::max(kLargest, by_mean) : by_mean;
    return std::max(kernel_error.largest / most, by_mean);
  }
  static const std::set<std::string_view> kExponential{"softmax", "logsoftmax", "gelu",
                                                       "l2norm",  "sigmoid",    "tanh"};
  if (kernel_error.not_finite > 0) return kLargest;
  if (is_hybrid(graph, layer)) return kernel_error.relative_l2 / kMostHybrid;
  if (const double rounding = rounding_of(graph, layer); rounding > 0)
    return std::max(kernel_error.relative_l2 / (kMostRoundings * rounding),
                    kernel_error.largest / (kMostRoundingsOfOne * rounding));
  return kernel_error.largest /
         (kExponential.count(compare::op_kind(layer.type)) ? kMostExponential : kMostRelative);
}

void judge(const ModelFile& target, KernelError& kernel_error) {
  kernel_error.faulty = excess(target, kernel_error) > 1;
}

}  // namespace edgeprobe::layers
