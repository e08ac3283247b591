// SPDX-License-Identifier: Apache-2.0
#include "cli/grid/frameworks.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/convert/tool_environment.h"
#include "core/text.h"
#include "process/python.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;

struct BuiltIn {
  Tool tool;       ///< Its name is the framework's.
  bool is_pinned;  ///< Has requirements-NAME.txt.
};

constexpr BuiltIn kFrameworks[] = {
    {{"grid", "pytorch", "PyTorch, torchvision and onnx2torch", "3 GB"}, false},
    {{"grid", "keras", "Keras, TensorFlow and tf2onnx", "330 MB"}, true},
    {{"grid", "jax", "JAX and jax2onnx", "220 MB"}, true},
    {{"grid", "sklearn", "scikit-learn and skl2onnx", "70 MB"}, true},
    {{"grid", "mxnet", "MXNet 1.9.1", "80 MB"}, true},
};

constexpr const char* kImporters[] = {"onnx2torch", "mxnet", "onnxruntime", "openvino", "tvm"};

const BuiltIn* built_in(const std::string& name) {
  const auto at = std::find_if(std::begin(kFrameworks), std::end(kFrameworks),
                               [&](const BuiltIn& one) { return name == one.tool.name; });
  return at == std::end(kFrameworks) ? nullptr : at;
}

Result<GridFramework> framework_from(const std::string& word) {
  if (built_in(word)) return GridFramework{word, word, "", ""};
  if (!word.ends_with(".py")) {
    const std::string near = closest_match(word, grid_frameworks());
    return Error{ErrorKind::kUsage, "--frameworks '" + sanitized(word, 200) + "': expected " +
                                        edgeprobe::joined(grid_frameworks()) +
                                        ", or a file of your own (docs/guides/onnx-conversion.md)" +
                                        (near.empty() ? "" : "; did you mean '" + near + "'?")};
  }
  std::error_code failed;
  if (!fs::is_regular_file(word, failed))
    return Error{ErrorKind::kUsage,
                 "--frameworks '" + sanitized(word, 200) + "': there is no such file"};
  return GridFramework{fs::path(word).stem().string(), fs::absolute(word, failed).string(), "", ""};
}

/// FRAMEWORK=PYTHON of --python.
Result<std::map<std::string, std::string>> pythons_from(const std::vector<std::string>& words,
                                                        const std::vector<GridFramework>& all) {
  std::map<std::string, std::string> pythons;
  for (const std::string& word : words) {
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == word.size())
      return Error{ErrorKind::kUsage, "--python '" + sanitized(word, 200) +
                                          "': expected FRAMEWORK=PYTHON, e.g. "
                                          "pytorch=/opt/torch/bin/python"};
    const std::string name = word.substr(0, sign);
    // onnx2torch needs PyTorch's Python even if its own models are not wanted.
    if (!built_in(name) && std::none_of(all.begin(), all.end(),
                                        [&](const GridFramework& one) { return one.name == name; }))
      return Error{ErrorKind::kUsage, "--python '" + sanitized(word, 200) + "': '" +
                                          sanitized(name, 60) + "' is not a framework; expected " +
                                          edgeprobe::joined(grid_frameworks())};
    if (!pythons.emplace(name, word.substr(sign + 1)).second)
      return Error{ErrorKind::kUsage, "--python names '" + sanitized(name, 60) + "' twice"};
  }
  return pythons;
}

}  // namespace

std::vector<std::string> grid_frameworks() {
  std::vector<std::string> names;
  for (const BuiltIn& one : kFrameworks) names.emplace_back(one.tool.name);
  return names;
}

std::vector<std::string> grid_importers() { return {std::begin(kImporters), std::end(kImporters)}; }

Result<std::vector<GridFramework>> frameworks_from(const std::vector<std::string>& words,
                                                   const std::vector<std::string>& python_words) {
  std::vector<GridFramework> all;
  for (const std::string& word : words.empty() ? grid_frameworks() : words) {
    EP_TRY(auto one, framework_from(word));
    if (std::any_of(all.begin(), all.end(),
                    [&](const GridFramework& other) { return other.name == one.name; }))
      return Error{ErrorKind::kUsage, "--frameworks names '" + sanitized(one.name, 60) + "' twice"};
    all.push_back(std::move(one));
  }
  EP_TRY(const auto pythons, pythons_from(python_words, all));
  for (GridFramework& one : all) {
    const auto named = pythons.find(one.name);
    const BuiltIn* const known = built_in(one.adapter);
    if (named != pythons.end()) one.python = named->second;
    else if (!known) one.python = process::python_interpreter("");
    else if (!known->is_pinned) {
      one.missing = "no Python with " + std::string(known->tool.what) + " is named (--python " +
                    one.name + "=PYTHON)";
      if (!words.empty())
        return Error{ErrorKind::kUsage, "--frameworks " + one.name + ": " + one.missing};
    }
  }
  return all;
}

Status prepare(std::vector<GridFramework>& frameworks, Terminal& terminal) {
  for (GridFramework& one : frameworks) {
    const BuiltIn* const known = built_in(one.adapter);
    if (!known || !one.python.empty() || !one.missing.empty()) continue;
    EP_TRY(one.python, environment(known->tool, terminal));
  }
  return {};
}

}  // namespace edgeprobe::cli
