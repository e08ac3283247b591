// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/method.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/text.h"
#include "model/format.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using Value = MethodOption::Value;

constexpr Tool kOnnxRuntime{"convert", "onnxruntime", "ONNX Runtime's quantizer", "60 MB"},
    kQuantizer{"convert", "quantizer", "ai-edge-quantizer", "90 MB"},
    kOpenVino{"convert", "openvino", "OpenVINO", "80 MB"}, kTvm{"convert", "tvm", "TVM", "140 MB"},
    // The environment of `edgeprobe fetch keras`.
    kKeras{"engines", "keras", "Keras and TensorFlow", "340 MB"},
    kTf2Onnx{"convert", "tf2onnx", "tf2onnx", "10 MB"};

constexpr MethodOption kIntegerTypes[] = {
    {"inference_input_type", "float32", Value::kWord, "float32|int8|uint8"},
    {"inference_output_type", "float32", Value::kWord, "float32|int8|uint8"}};
constexpr MethodOption kWideTypes[] = {
    {"inference_input_type", "float32", Value::kWord, "float32|int16"},
    {"inference_output_type", "float32", Value::kWord, "float32|int16"}};
constexpr MethodOption kOpset[] = {{"opset", "17", Value::kWhole, {}, 13, 18}};
constexpr MethodOption kExportOpset[] = {{"opset", "18", Value::kWhole, {}, 18, 22}};
constexpr MethodOption kTvmOptions[] = {{"target", "llvm"},
                                        {"opt_level", "3", Value::kWhole, {}, 0, 4}};

constexpr MethodOption kSparsity{"sparsity", "0.5", Value::kReal, {}, 0, 0.99},
    kDense{"dense", "true", Value::kWord, "true|false"},
    kFineTune{"fine_tune", "0", Value::kWhole, {}, 0, 1000},
    kLearningRate{"learning_rate", "0.001", Value::kReal, {}, 1e-9, 1};
constexpr MethodOption kPrune[] = {
    kSparsity, {"scope", "layer", Value::kWord, "layer|global"}, kDense, kFineTune, kLearningRate};
constexpr MethodOption kChannels[] = {kSparsity, kFineTune, kLearningRate};
constexpr MethodOption kCluster[] = {{"clusters", "16", Value::kWhole, {}, 2, 256},
                                     {"keep_zeros", "true", Value::kWord, "true|false"},
                                     kDense,
                                     kFineTune,
                                     kLearningRate};

constexpr SourceKind kO = SourceKind::kOnnx, kT = SourceKind::kTflite, kK = SourceKind::kKeras,
                     kS = SourceKind::kSavedModel, kE = SourceKind::kExported;

constexpr Method kMethods[] = {
    {"int8", kO, ".onnx", &kOnnxRuntime, {}, true},
    {"int8", kT, ".tflite", &kQuantizer, {}, true},
    {"int8", kK, ".tflite", &kKeras, kIntegerTypes, true},
    {"int8", kS, ".tflite", &kKeras, kIntegerTypes, true},
    {"int8-dynamic", kT, ".tflite", &kQuantizer},
    {"int8-dynamic", kK, ".tflite", &kKeras},
    {"int8-dynamic", kS, ".tflite", &kKeras},
    {"int16x8", kK, ".tflite", &kKeras, kWideTypes, true},
    {"int16x8", kS, ".tflite", &kKeras, kWideTypes, true},
    {"float16", kK, ".tflite", &kKeras},
    {"float16", kS, ".tflite", &kKeras},
    {"tflite", kK, ".tflite", &kKeras},
    {"tflite", kS, ".tflite", &kKeras},
    {"onnx", kK, ".onnx", &kKeras, kOpset, false, &kTf2Onnx},
    {"onnx", kS, ".onnx", &kKeras, kOpset, false, &kTf2Onnx},
    {"onnx", kE, ".onnx", nullptr, kExportOpset},
    {"pte", kE, ".pte", nullptr},
    {"openvino", kO, ".xml", &kOpenVino},
    {"openvino", kT, ".xml", &kOpenVino},
    {"tvm", kO, ".so", &kTvm, kTvmOptions},
    {"tvm", kT, ".so", &kTvm, kTvmOptions},
    {"prune", kK, "", &kKeras, kPrune},
    {"prune-channels", kK, "", &kKeras, kChannels},
    {"cluster", kK, "", &kKeras, kCluster},
};

struct KindFacts {
  SourceKind kind;
  const char* name;
  std::vector<std::string> extensions;
};
const std::vector<KindFacts>& kinds() {
  static const std::vector<KindFacts> all{{kO, "onnx", {".onnx"}},
                                          {kT, "tflite", {".tflite"}},
                                          {kK, "keras", {".keras", ".h5"}},
                                          {kS, "saved_model", {".pb"}},
                                          {kE, "pt2", {".pt2"}}};
  return all;
}

/// The values that an option takes, if this is not one of them, or "".
std::string wrong_value(const MethodOption& option, const std::string& text) {
  if (option.value == Value::kText) return text.empty() ? "a text" : "";
  if (option.value == Value::kWord) {
    std::string_view left = option.words;
    while (!left.empty()) {
      const std::size_t end = std::min(left.find('|'), left.size());
      if (left.substr(0, end) == text) return "";
      left.remove_prefix(std::min(end + 1, left.size()));
    }
    return "one of " + std::string(option.words);
  }
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, value);
  const bool is_whole = option.value == Value::kWhole;
  if (failed == std::errc() && stop == end && value >= option.least && value <= option.most &&
      (!is_whole || std::floor(value) == value))
    return "";
  return std::string(is_whole ? "a whole number" : "a number") + " from " + number(option.least) +
         " to " + number(option.most);
}

}  // namespace

const char* name(SourceKind kind) {
  for (const KindFacts& one : kinds())
    if (one.kind == kind) return one.name;
  return "";
}

std::optional<SourceKind> source_kind(const fs::path& model) {
  const std::string extension = model.extension().string();
  for (const KindFacts& one : kinds())
    if (std::find(one.extensions.begin(), one.extensions.end(), extension) != one.extensions.end())
      return one.kind;
  model::FileBytes file;
  const auto graph = model::load(model, file);
  const auto format = graph ? model::format_of(*graph) : std::nullopt;
  if (!format) return std::nullopt;
  return *format == model::Format::kOnnx ? kO : kT;
}

std::span<const Method> methods() { return kMethods; }

const Method* find_method(std::string_view to, SourceKind source) {
  for (const Method& one : kMethods)
    if (one.to == to && one.source == source) return &one;
  return nullptr;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& one : kMethods)
    if (std::find(names.begin(), names.end(), one.to) == names.end()) names.emplace_back(one.to);
  return names;
}

std::string sources_of(std::string_view to) {
  std::vector<std::string> extensions;
  for (const KindFacts& kind : kinds())
    if (find_method(to, kind.kind))
      extensions.insert(extensions.end(), kind.extensions.begin(), kind.extensions.end());
  return joined(extensions);
}

Result<std::pair<std::string, Options>> split_method(const std::string& text) {
  const std::size_t mark = text.find('?');
  std::pair<std::string, Options> split{text.substr(0, mark), {}};
  std::string left = mark == std::string::npos ? "" : text.substr(mark + 1);
  while (!left.empty()) {
    const std::size_t end = std::min(left.find('&'), left.size());
    const std::string part = left.substr(0, end);
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0)
      return Error{ErrorKind::kUsage, "--to '" + sanitized(text) + "': '" + sanitized(part) +
                                          "' is not OPTION=VALUE, e.g. prune?sparsity=0.5"};
    split.second.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    left.erase(0, std::min(end + 1, left.size()));
  }
  return split;
}

Result<Options> options_from(const Method& method, const Options& given) {
  Options all;
  std::vector<std::string> names;
  for (const MethodOption& option : method.options) {
    all.emplace_back(option.name, option.usual);
    names.emplace_back(option.name);
  }
  for (const auto& [name, value] : given) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
      return Error{ErrorKind::kUsage, std::string("--to ") + method.to + ": it has no option '" +
                                          sanitized(name) + "'" +
                                          (names.empty() ? "" : "; it has " + listed(names))};
    const auto i = static_cast<std::size_t>(at - names.begin());
    const std::string expected = wrong_value(method.options[i], value);
    if (!expected.empty())
      return Error{ErrorKind::kUsage, std::string("--to ") + method.to + ": " + name + "=" +
                                          sanitized(value) + ": expected " + expected};
    all[i].second = value;
  }
  return all;
}

std::string option_of(const Options& options, std::string_view name) {
  for (const auto& [key, value] : options)
    if (key == name) return value;
  return "";
}

}  // namespace edgeprobe::cli
