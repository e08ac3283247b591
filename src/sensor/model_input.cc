// SPDX-License-Identifier: Apache-2.0
#include "sensor/model_input.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

namespace edgeprobe::sensor {
namespace {

Error usage(const std::string& what) { return {ErrorKind::kUsage, what}; }

template <class T>
Tensor put(Tensor out, const std::vector<double>& values) {
  out.bytes.resize(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = static_cast<T>(values[i]);
    std::memcpy(out.bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return out;
}

Result<Tensor> stored(Tensor out, std::vector<double> values) {
  switch (out.spec.dtype) {
    case DType::kFloat32: return put<float>(std::move(out), values);
    case DType::kFloat64: return put<double>(std::move(out), values);
    case DType::kFloat16:
      for (double& value : values) value = float_to_half(static_cast<float>(value));
      return put<std::uint16_t>(std::move(out), values);
    case DType::kInt8: return put<std::int8_t>(std::move(out), values);
    case DType::kUInt8: return put<std::uint8_t>(std::move(out), values);
    case DType::kInt16: return put<std::int16_t>(std::move(out), values);
    case DType::kUInt16: return put<std::uint16_t>(std::move(out), values);
    default:
      return Error{ErrorKind::kUnsupported,
                   std::string("a model input of type ") + name(out.spec.dtype)};
  }
}

/// The shape with open dimensions closed: the first one that can takes the rest.
Result<Shape> closed(const Shape& shape, const Table& table) {
  const std::size_t count = table.values.size();
  std::size_t known = 1;
  std::ptrdiff_t open = -1;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] > 0) known *= static_cast<std::size_t>(shape[d]);
    // The first dimension is a batch if it can be.
    else if (open < 1) open = static_cast<std::ptrdiff_t>(d);
  Shape out = shape;
  for (std::size_t d = 0; d < out.size(); ++d)
    if (out[d] <= 0)
      out[d] = static_cast<std::ptrdiff_t>(d) == open && known > 0
                   ? static_cast<std::int64_t>(count / known)
                   : 1;
  const auto wanted = element_count(out);
  if (!wanted || *wanted != count || count == 0)
    return usage("the recipe makes " + std::to_string(table.steps) + " steps of " +
                 std::to_string(table.axes) + " axes but the model's input is " +
                 edgeprobe::to_text(shape) + ": change window(STEPS) or axes(…)");
  return out;
}

}  // namespace

double code_of(double value, const Coding& coding, const FrontEnd& f) {
  const double real = static_cast<double>(static_cast<float>(value / coding.scale));
  double code = 0;
  switch (f.codes) {
    case Codes::kHalfEven: code = std::nearbyint(real) + coding.zero; break;
    case Codes::kFloor: code = std::floor(real + coding.zero); break;
    case Codes::kTruncated: code = std::trunc(real + coding.zero); break;
    default: code = std::round(real) + coding.zero;
  }
  const double span = coding.high - coding.low + 1;
  if (f.codes == Codes::kWrap) code -= std::floor((code - coding.low) / span) * span;
  code = std::clamp(code, coding.low, coding.high);
  // The same bits under the other sign convention.
  if (f.sign_flipped) code += code - coding.low < span / 2 ? span / 2 : -span / 2;
  return code;
}

Result<Coding> coding_of(const FrontEnd& f, const TensorSpec& input) {
  Coding coding;
  switch (input.dtype) {
    case DType::kInt8: coding.low = -128, coding.high = 127; break;
    case DType::kUInt8: coding.high = 255; break;
    case DType::kInt16: coding.low = -32768, coding.high = 32767; break;
    case DType::kUInt16: coding.high = 65535; break;
    default:
      return usage(std::string("the model's input is ") + name(input.dtype) +
                   ", which is not quantised: leave quantize() out");
  }
  const bool stated = input.quantization.scale.size() == 1 && input.quantization.scale[0] > 0;
  if (!stated && !(f.code_scale && f.code_zero))
    return usage("the model's input states no quantisation: give quantize(scale=…, zero_point=…)");
  if (stated) {
    coding.scale = static_cast<double>(input.quantization.scale[0]);
    coding.zero = static_cast<double>(input.quantization.zero_point_at(0));
  }
  if (f.code_scale) coding.scale = *f.code_scale;
  if (f.code_zero) coding.zero = *f.code_zero;
  return coding;
}

Result<Tensor> model_input_of(const FrontEnd& f, const Series& series, const TensorSpec& input) {
  EP_TRY(const auto made, features(series, f));
  Tensor out{input, {}};
  EP_TRY(out.spec.shape, closed(input.shape, made));
  std::vector<double> values = made.values;
  if (f.axes_first)
    for (std::size_t t = 0; t < made.steps; ++t)
      for (std::size_t a = 0; a < made.axes; ++a) values[a * made.steps + t] = made.at(t, a);
  if (is_float(input.dtype)) {
    if (f.quantize) return usage("the model's input is real: leave quantize() out");
    return stored(std::move(out), std::move(values));
  }
  if (!f.quantize)
    return usage(std::string("the model's input is ") + name(input.dtype) +
                 " and the recipe ends in real numbers: add quantize(model)");
  EP_TRY(const auto coding, coding_of(f, input));
  for (double& value : values) value = code_of(value, coding, f);
  return stored(std::move(out), std::move(values));
}

}  // namespace edgeprobe::sensor
