// SPDX-License-Identifier: Apache-2.0
#include "engine/tvm/metadata.h"

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "engine/inputs.h"

namespace edgeprobe::engine::tvm {
namespace {

using nlohmann::json;

Error wrong(const std::string& field, const char* expected) {
  return {ErrorKind::kCorrupt,
          std::string(kMetadataSymbol) + ": field '" + field + "' must be " + expected};
}

Result<TensorSpec> read_spec(const json& value, const std::string& field) {
  if (!value.is_object()) return wrong(field, "an object");
  TensorSpec spec;
  if (!value.contains("name") || !value["name"].is_string()) return wrong(field + ".name", "text");
  spec.name = value["name"].get<std::string>();
  const auto dtype = value.contains("dtype") && value["dtype"].is_string()
                         ? dtype_from_name(value["dtype"].get<std::string>())
                         : std::nullopt;
  if (!dtype || size_of(*dtype) == 0)
    return wrong(field + ".dtype", "the name of an element type, e.g. 'float32'");
  spec.dtype = *dtype;
  if (!value.contains("shape") || !value["shape"].is_array())
    return wrong(field + ".shape", "a list of numbers");
  for (const json& dimension : value["shape"]) {
    if (!dimension.is_number_integer() || dimension.get<std::int64_t>() < 1)
      return wrong(field + ".shape", "a list of whole numbers above 0");
    spec.shape.push_back(dimension.get<std::int64_t>());
  }
  const auto bytes = spec.byte_size();
  if (!bytes || *bytes > kTensorLimit) return wrong(field + ".shape", "of at most 2 GB");
  for (const json& scale : value.value("scale", json::array())) {
    if (!scale.is_number()) return wrong(field + ".scale", "a list of numbers");
    spec.quantization.scale.push_back(scale.get<float>());
  }
  for (const json& zero : value.value("zero_point", json::array())) {
    if (!zero.is_number_integer()) return wrong(field + ".zero_point", "a list of whole numbers");
    spec.quantization.zero_point.push_back(zero.get<std::int64_t>());
  }
  spec.quantization.axis =
      value.contains("axis") && value["axis"].is_number_integer() ? value["axis"].get<int>() : 0;
  return spec;
}

}  // namespace

Result<Metadata> read_metadata(std::string_view text) {
  const json root = json::parse(text, nullptr, false);
  if (!root.is_object() || !root.contains("edgeprobe") || !root["edgeprobe"].is_number_integer())
    return wrong("edgeprobe", "the version of this text");
  if (root["edgeprobe"].get<int>() != 1)
    return Error{ErrorKind::kUnsupported,
                 "it was compiled by a newer edgeprobe; use that one, or convert the model again"};
  Metadata metadata;
  for (const bool outputs : {false, true}) {
    const std::string field = outputs ? "outputs" : "inputs";
    if (!root.contains(field) || !root[field].is_array()) return wrong(field, "a list");
    for (std::size_t i = 0; i < root[field].size(); ++i) {
      EP_TRY(auto spec, read_spec(root[field][i], field + "[" + std::to_string(i) + "]"));
      (outputs ? metadata.outputs : metadata.inputs).push_back(std::move(spec));
    }
  }
  if (metadata.outputs.empty()) return wrong("outputs", "a list with at least one entry");
  if (root.contains("tuning") && root["tuning"].is_string())
    metadata.tuning = sanitized(root["tuning"].get<std::string>());
  if (root.contains("tvm") && root["tvm"].is_string())
    metadata.tvm = sanitized(root["tvm"].get<std::string>());
  return metadata;
}

}  // namespace edgeprobe::engine::tvm
