// SPDX-License-Identifier: Apache-2.0
#include "audio/model_input.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace edgeprobe::audio {
namespace {

Error usage(const std::string& what) { return {ErrorKind::kUsage, what}; }

std::string count_text(std::size_t rows, std::size_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

struct Codes256 {
  double low, high;
};
std::optional<Codes256> codes_of(DType dtype) {
  switch (dtype) {
    case DType::kInt8: return Codes256{-128, 127};
    case DType::kUInt8: return Codes256{0, 255};
    case DType::kInt16: return Codes256{-32768, 32767};
    case DType::kUInt16: return Codes256{0, 65535};
    default: return std::nullopt;
  }
}

template <class T>
void put(Bytes& bytes, const std::vector<float>& values, T (*convert)(float)) {
  bytes.resize(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = convert(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
}
template <class T>
T as(float value) {
  return static_cast<T>(value);
}

Result<Tensor> stored(Tensor out, const std::vector<float>& values) {
  switch (out.spec.dtype) {
    case DType::kFloat32: put<float>(out.bytes, values, as<float>); return out;
    case DType::kFloat16: put<std::uint16_t>(out.bytes, values, float_to_half); return out;
    case DType::kInt8: put<std::int8_t>(out.bytes, values, as<std::int8_t>); return out;
    case DType::kUInt8: put<std::uint8_t>(out.bytes, values, as<std::uint8_t>); return out;
    case DType::kInt16: put<std::int16_t>(out.bytes, values, as<std::int16_t>); return out;
    case DType::kUInt16: put<std::uint16_t>(out.bytes, values, as<std::uint16_t>); return out;
    default:
      return Error{ErrorKind::kUnsupported,
                   std::string("a model input of type ") + name(out.spec.dtype)};
  }
}

}  // namespace

double code_of(double value, const Coding& coding, const FrontEnd& f) {
  const double real = value / coding.scale + coding.zero;
  double code = f.codes == Codes::kFloor || f.codes == Codes::kWrap ? std::floor(real)
                : f.codes == Codes::kHalfEven                       ? std::nearbyint(real)
                                                                    : std::floor(real + .5);
  const double span = coding.high - coding.low + 1;
  if (f.codes == Codes::kWrap) {
    code = std::floor(real + .5);
    code -= std::floor((code - coding.low) / span) * span;
  }
  code = std::clamp(code, coding.low, coding.high);
  // The same bits under the other sign convention.
  if (f.sign_flipped) code = code + (code - coding.low < span / 2 ? span / 2 : -span / 2);
  return code;
}

Result<Coding> coding_of(const FrontEnd& f, const TensorSpec& input) {
  const auto range = codes_of(input.dtype);
  if (!range)
    return usage(std::string("the model's input is ") + name(input.dtype) +
                 ", which is not quantised: leave quantize() out");
  Coding coding{1, 0, range->low, range->high};
  if (f.code_scale && f.code_zero) {
    coding.scale = *f.code_scale;
    coding.zero = *f.code_zero;
  } else if (input.quantization.scale.size() == 1 && input.quantization.scale[0] > 0) {
    coding.scale = static_cast<double>(input.quantization.scale[0]);
    coding.zero = static_cast<double>(input.quantization.zero_point_at(0));
  } else {
    return usage("the model's input states no quantisation: give quantize(scale=…, zero_point=…)");
  }
  if (f.code_zero) coding.zero = *f.code_zero;
  return coding;
}

Result<Tensor> model_input_of(const FrontEnd& f, const Rows& features, const TensorSpec& input) {
  std::size_t known = 1;
  std::ptrdiff_t open = -1;
  for (std::size_t d = 0; d < input.shape.size(); ++d)
    if (input.shape[d] > 0) known *= static_cast<std::size_t>(input.shape[d]);
    // The first dimension is a batch if it can be.
    else if (open < 1) open = static_cast<std::ptrdiff_t>(d);
  Tensor out{input, {}};
  const std::size_t count = features.values.size();
  for (std::size_t d = 0; d < out.spec.shape.size(); ++d)
    if (out.spec.shape[d] <= 0)
      out.spec.shape[d] = static_cast<std::ptrdiff_t>(d) == open && known > 0
                              ? static_cast<std::int64_t>(count / known)
                              : 1;
  const auto wanted = element_count(out.spec.shape);
  if (!wanted || *wanted != count || count == 0)
    return usage("the recipe makes " + count_text(features.rows, features.columns) +
                 " values but the model's input is " + edgeprobe::to_text(input.shape) +
                 (f.is_waveform() ? ": change pad(SAMPLES)"
                                  : ": change pad(SAMPLES), frames(N), mel() or dct()"));
  Rows laid = features;
  if (f.frequency_first)
    for (std::size_t t = 0; t < features.rows; ++t)
      for (std::size_t k = 0; k < features.columns; ++k)
        laid.values[k * features.rows + t] = features.row(t)[k];
  std::vector<float> values(count);
  if (is_float(input.dtype)) {
    if (f.quantize) return usage("the model's input is real: leave quantize() out");
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(laid.values[i]);
  } else {
    if (!f.quantize)
      return usage(std::string("the model's input is ") + name(input.dtype) +
                   " and the recipe ends in real numbers: add quantize(model)");
    EP_TRY(const auto coding, coding_of(f, input));
    for (std::size_t i = 0; i < count; ++i)
      values[i] = static_cast<float>(code_of(laid.values[i], coding, f));
  }
  return stored(std::move(out), values);
}

Result<Tensor> model_input_of(const FrontEnd& f, const Clip& clip, const TensorSpec& input) {
  Synthesis synthesis(clip);
  EP_TRY(auto features, synthesis.features(f));
  return model_input_of(f, features, input);
}

}  // namespace edgeprobe::audio
