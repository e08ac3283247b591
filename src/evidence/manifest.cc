// SPDX-License-Identifier: Apache-2.0
#include "evidence/manifest.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/text.h"

namespace edgeprobe::evidence {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr std::size_t kMostTensors = 64, kMostDims = 16, kMostText = 4000, kMostScales = 1 << 20;

ordered_json tensor_json(const Tensor& tensor, const std::string& file) {
  ordered_json one;
  one["file"] = file;
  one["name"] = sanitized(tensor.spec.name, 400);
  one["dtype"] = edgeprobe::name(tensor.spec.dtype);
  one["shape"] = tensor.spec.shape;
  if (!tensor.spec.quantization.empty()) {
    one["scale"] = tensor.spec.quantization.scale;
    one["zero_point"] = tensor.spec.quantization.zero_point;
    one["axis"] = tensor.spec.quantization.axis;
  }
  return one;
}

ordered_json engine_json(const engine::EngineIdentity& engine) {
  return {{"kind", sanitized(engine.kind, 60)},
          {"version", sanitized(engine.version, 200)},
          {"library", sanitized(engine.library.filename().string(), 200)},
          {"sha256", engine.sha256}};
}

// Reads one manifest; keeps the first missing or invalid item as the error.
class Reader {
 public:
  std::string failure;

  const json* member(const json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    if (object.is_object() && found != object.end()) return &*found;
    fail(key);
    return nullptr;
  }
  std::string text(const json& object, const char* key) {
    const json* const value = member(object, key);
    if (!value || !value->is_string()) return fail(key), "";
    return sanitized(value->get_ref<const std::string&>(), kMostText);
  }
  double number(const json& object, const char* key) {
    const json* const value = member(object, key);
    if (!value || !value->is_number()) return fail(key), 0;
    return value->get<double>();
  }
  std::vector<std::string> texts(const json& object, const char* key) {
    std::vector<std::string> all;
    const json* const value = member(object, key);
    if (!value || !value->is_array() || value->size() > kMostTensors) return fail(key), all;
    for (const json& one : *value) {
      if (!one.is_string()) return fail(key), all;
      all.push_back(sanitized(one.get_ref<const std::string&>(), kMostText));
    }
    return all;
  }
  engine::EngineIdentity engine(const json& object, const char* key) {
    const json* const value = member(object, key);
    if (!value) return {};
    return {text(*value, "kind"), text(*value, "version"), text(*value, "library"),
            text(*value, "sha256")};
  }
  std::vector<DelegateFile> delegates(const json& object, const char* key) {
    std::vector<DelegateFile> all;
    const json* const value = member(object, key);
    if (!value || !value->is_array() || value->size() > kMostTensors) return fail(key), all;
    for (const json& one : *value) all.push_back({text(one, "library"), text(one, "sha256")});
    return all;
  }
  Tensor tensor(const json& object) {
    Tensor tensor;
    tensor.spec.name = text(object, "name");
    const auto dtype = dtype_from_name(text(object, "dtype"));
    if (!dtype) return fail("dtype"), tensor;
    tensor.spec.dtype = *dtype;
    const json* const shape = member(object, "shape");
    if (!shape || !shape->is_array() || shape->size() > kMostDims) return fail("shape"), tensor;
    for (const json& dim : *shape) {
      if (!dim.is_number_integer()) return fail("shape"), tensor;
      tensor.spec.shape.push_back(dim.get<std::int64_t>());
    }
    if (object.contains("scale")) quantize(object, tensor.spec.quantization);
    return tensor;
  }

 private:
  void fail(const char* key) {
    if (failure.empty()) failure = key;
  }
  void quantize(const json& object, Quantization& quantization) {
    const json* const scales = member(object, "scale");
    const json* const zeros = member(object, "zero_point");
    const double axis = number(object, "axis");
    if (!scales || !zeros || !scales->is_array() || !zeros->is_array() ||
        scales->size() > kMostScales || zeros->size() > scales->size() || axis < 0 ||
        axis > static_cast<double>(kMostDims))
      return fail("scale");
    for (const json& scale : *scales) {
      if (!scale.is_number()) return fail("scale");
      quantization.scale.push_back(scale.get<float>());
    }
    for (const json& zero : *zeros) {
      if (!zero.is_number_integer()) return fail("zero_point");
      quantization.zero_point.push_back(zero.get<std::int64_t>());
    }
    if (quantization.zero_point.size() > 1 &&
        quantization.zero_point.size() != quantization.scale.size())
      return fail("zero_point");
    quantization.axis = static_cast<int>(axis);
  }
};

std::vector<std::string> read_tensors(Reader& reader, const json& root, const char* key,
                                      std::vector<Tensor>& tensors) {
  std::vector<std::string> files;
  const json* const list = reader.member(root, key);
  if (!list || !list->is_array() || list->size() > kMostTensors) {
    if (reader.failure.empty()) reader.failure = key;
    return files;
  }
  for (const json& one : *list) {
    files.push_back(reader.text(one, "file"));
    tensors.push_back(reader.tensor(one));
  }
  return files;
}

}  // namespace

std::string to_json(const Manifest& manifest) {
  const Evidence& evidence = manifest.evidence;
  const Environment& seen = evidence.environment;
  ordered_json root;
  root["edgeprobe_evidence"] = kVersion;
  root["program"] = seen.program;
  root["operators"] = sanitized(evidence.operators, 400);
  root["error_over_limit"] =
      std::isfinite(evidence.error_over_limit) ? evidence.error_over_limit : 1e9;
  root["refused"] = sanitized(evidence.refused, 400);
  root["model"] = {{"file", manifest.model}, {"format", evidence.format}};
  for (const auto& [key, tensors, files] :
       {std::tuple("inputs", &evidence.inputs, &manifest.inputs),
        std::tuple("expected", &evidence.expected, &manifest.expected)}) {
    root[key] = ordered_json::array();
    for (std::size_t i = 0; i < tensors->size(); ++i)
      root[key].push_back(tensor_json((*tensors)[i], (*files)[i]));
  }
  root["source"] = {{"name", sanitized(evidence.source, 200)}, {"sha256", evidence.source_sha256}};
  root["device"] = engine_json(seen.device);
  root["device_options"] = seen.device_options;
  root["delegates"] = ordered_json::array();
  for (const DelegateFile& delegate : seen.delegates)
    root["delegates"].push_back(
        {{"library", sanitized(delegate.name, 200)}, {"sha256", delegate.sha256}});
  root["host"] = engine_json(seen.host);
  root["machine"] = {
      {"processor", seen.processor}, {"architecture", seen.architecture}, {"kernel", seen.kernel}};
  root["left_out"] = evidence.left_out;
  root["sha256"] = manifest.hashes;
  return root.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Result<Manifest> manifest_from_json(std::string_view text) {
  const json root = json::parse(text, nullptr, false);
  if (!root.is_object()) return Error{ErrorKind::kCorrupt, "manifest.json is not a JSON object"};
  Reader reader;
  Manifest manifest;
  Evidence& evidence = manifest.evidence;
  if (const double version = reader.number(root, "edgeprobe_evidence");
      reader.failure.empty() && version != kVersion)
    return Error{ErrorKind::kUnsupported, "it is evidence of version " +
                                              edgeprobe::number(version) +
                                              ", this program reads version 1"};
  evidence.environment.program = reader.text(root, "program");
  evidence.operators = reader.text(root, "operators");
  evidence.error_over_limit = reader.number(root, "error_over_limit");
  evidence.refused = reader.text(root, "refused");
  if (const json* const model = reader.member(root, "model")) {
    manifest.model = reader.text(*model, "file");
    evidence.format = reader.text(*model, "format");
  }
  manifest.inputs = read_tensors(reader, root, "inputs", evidence.inputs);
  manifest.expected = read_tensors(reader, root, "expected", evidence.expected);
  if (const json* const source = reader.member(root, "source")) {
    evidence.source = reader.text(*source, "name");
    evidence.source_sha256 = reader.text(*source, "sha256");
  }
  evidence.environment.device = reader.engine(root, "device");
  evidence.environment.device_options = reader.text(root, "device_options");
  evidence.environment.delegates = reader.delegates(root, "delegates");
  evidence.environment.host = reader.engine(root, "host");
  if (const json* const machine = reader.member(root, "machine")) {
    evidence.environment.processor = reader.text(*machine, "processor");
    evidence.environment.architecture = reader.text(*machine, "architecture");
    evidence.environment.kernel = reader.text(*machine, "kernel");
  }
  evidence.left_out = reader.texts(root, "left_out");
  if (const json* const hashes = reader.member(root, "sha256"); hashes && hashes->is_object())
    for (const auto& [file, hash] : hashes->items())
      if (hash.is_string()) manifest.hashes[file] = hash.get<std::string>();
  if (!reader.failure.empty())
    return Error{ErrorKind::kCorrupt,
                 "manifest.json: '" + reader.failure + "' is missing or not of its type"};
  return manifest;
}

}  // namespace edgeprobe::evidence
