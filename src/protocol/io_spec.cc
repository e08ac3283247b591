// SPDX-License-Identifier: Apache-2.0
#include "protocol/io_spec.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/nesting.h"
#include "core/text.h"

namespace edgeprobe::protocol {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestText = 1'000'000;
constexpr std::size_t kDeepest = 32;
constexpr std::size_t kMostTensors = 1024;
constexpr std::size_t kMostDimensions = 32;

Error wrong(const std::string& place, const std::string& what) {
  return {ErrorKind::kCorrupt, "IO_SPEC: " + place + " " + what};
}

Result<DType> dtype_from(const json& value, const std::string& place) {
  if (!value.is_string()) return wrong(place, "is not text");
  const auto& text = value.get_ref<const std::string&>();
  const auto dtype = dtype_from_name(text);
  if (!dtype) return wrong(place, "is '" + sanitized(text) + "', which is not a known dtype");
  return *dtype;
}

Result<Shape> shape_from(const json& value, const std::string& place) {
  if (!value.is_array() || value.size() > kMostDimensions)
    return wrong(place, "is not a list of at most 32 dimensions");
  Shape shape;
  for (const json& dimension : value) {
    // -1: determined by the model.
    if (!dimension.is_number_integer() || dimension.get<double>() < -1 ||
        dimension.get<double>() > 1e15)
      return wrong(place, "has a dimension that is not a size");
    shape.push_back(dimension.get<std::int64_t>());
  }
  return shape;
}

/// One number, or one for each channel.
template <class T>
Result<std::vector<T>> numbers_from(const json& value, const std::string& place) {
  std::vector<T> numbers;
  for (const json& one : value.is_array() ? value : json::array({value})) {
    if (!one.is_number() || !std::isfinite(one.get<double>()) || std::abs(one.get<double>()) > 1e15)
      return wrong(place, "is not a number");
    numbers.push_back(static_cast<T>(one.get<double>()));
  }
  return numbers;
}

Result<IoTensor> tensor_from(const json& value, const std::string& place) {
  if (!value.is_object()) return wrong(place, "is not an object");
  IoTensor tensor;
  if (value.contains("name") && value["name"].is_string())
    tensor.spec.name = value["name"].get<std::string>();
  if (!value.contains("shape")) return wrong(place, "has no shape");
  EP_TRY(tensor.spec.shape, shape_from(value["shape"], place + ".shape"));
  if (!value.contains("dtype")) return wrong(place, "has no dtype");
  EP_TRY(tensor.spec.dtype, dtype_from(value["dtype"], place + ".dtype"));
  if (value.contains("scale") && !value["scale"].is_null()) {
    EP_TRY(tensor.spec.quantization.scale, numbers_from<float>(value["scale"], place + ".scale"));
    if (value.contains("zero_point") && !value["zero_point"].is_null()) {
      EP_TRY(tensor.spec.quantization.zero_point,
             numbers_from<std::int64_t>(value["zero_point"], place + ".zero_point"));
    }
    const std::size_t zeros = tensor.spec.quantization.zero_point.size();
    if (zeros > 1 && zeros != tensor.spec.quantization.scale.size())
      return wrong(place, "has another number of zero points than of scales");
  }
  if (value.contains("prequantized_dtype") && !value["prequantized_dtype"].is_null()) {
    EP_TRY(tensor.prequantized,
           dtype_from(value["prequantized_dtype"], place + ".prequantized_dtype"));
  }
  return tensor;
}

Status read_tensors(const json& spec, const char* key, std::vector<IoTensor>& to) {
  if (!spec.contains(key)) return wrong(key, "is missing");
  const json& list = spec[key];
  if (!list.is_array() || list.size() > kMostTensors) return wrong(key, "is not a list of tensors");
  for (std::size_t i = 0; i < list.size(); ++i) {
    EP_TRY(auto tensor, tensor_from(list[i], std::string(key) + "[" + std::to_string(i) + "]"));
    to.push_back(std::move(tensor));
  }
  return {};
}

json tensor_json(const IoTensor& tensor) {
  json value{{"name", sanitized(tensor.spec.name)},
             {"shape", tensor.spec.shape},
             {"dtype", name(tensor.spec.dtype)}};
  const Quantization& quantization = tensor.spec.quantization;
  if (!quantization.empty()) {
    if (quantization.per_channel()) {
      value["scale"] = quantization.scale;
      value["zero_point"] = quantization.zero_point;
    } else {
      value["scale"] = quantization.scale_at(0);
      value["zero_point"] = quantization.zero_point_at(0);
    }
  }
  if (tensor.prequantized) value["prequantized_dtype"] = name(*tensor.prequantized);
  return value;
}

}  // namespace

Result<IoSpec> io_spec_from_json(std::string_view text) {
  if (text.size() > kLongestText || nesting_of(text) > kDeepest)
    return wrong("the payload", "is longer than 1 MB or nested deeper than 32 levels");
  const json spec = json::parse(text, nullptr, false);
  if (spec.is_discarded()) return wrong("the payload", "is not JSON");
  // In 2022 this message was QUANTIZATION: TensorFlow Lite's details of the inputs and outputs.
  if (spec.is_array() && spec.size() == 2 && spec[0].is_array() && spec[1].is_array())
    return IoSpec{};
  if (!spec.is_object()) return wrong("the payload", "is not an object");
  IoSpec read;
  EP_CHECK(read_tensors(spec, "input", read.inputs));
  EP_CHECK(read_tensors(spec, "output", read.outputs));
  return read;
}

std::string to_json(const IoSpec& spec) {
  json value{{"input", json::array()}, {"output", json::array()}};
  for (const IoTensor& tensor : spec.inputs) value["input"].push_back(tensor_json(tensor));
  for (const IoTensor& tensor : spec.outputs) value["output"].push_back(tensor_json(tensor));
  return value.dump();
}

}  // namespace edgeprobe::protocol
