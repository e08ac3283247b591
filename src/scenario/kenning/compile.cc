// SPDX-License-Identifier: Apache-2.0
#include "scenario/kenning/compile.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "engine/plugin.h"

namespace edgeprobe::scenario::kenning {
namespace {

std::string extension(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

bool is_any(const std::string& word, std::initializer_list<const char*> of) {
  return std::any_of(of.begin(), of.end(), [&](const char* one) { return word == one; });
}

/// One conversion: its source, its result, and the options that it has here. A target is one of
/// TFLiteCompiler's, or for TVM begins with the processor.
struct Link {
  const char* type;
  const char* target;  ///< "": any.
  std::initializer_list<const char*> from;
  const char* to;
  const char* result;  ///< "": that of the source.
};
const Link kLinks[] = {
    {"TFLiteCompiler", "default", {".keras", ".h5", ".pb"}, "tflite", ".tflite"},
    {"TFLiteCompiler", "float16", {".keras", ".h5", ".pb"}, "float16", ".tflite"},
    {"TFLiteCompiler", "int8", {".keras", ".h5", ".pb", ".tflite"}, "int8", ".tflite"},
    {"TFLiteCompiler", "int8", {".onnx"}, "int8", ".onnx"},
    {"TFLiteCompiler", "edgetpu", {".keras", ".h5", ".pb", ".tflite"}, "int8", ".tflite"},
    {"TVMCompiler", "llvm", {".onnx", ".tflite"}, "tvm", ".so"},
    {"ONNXCompiler", "", {".keras", ".h5", ".pb", ".pt2"}, "onnx", ".onnx"},
    {"ExecuTorchOptimizer", "", {".pt2"}, "pte", ".pte"},
    {"TensorFlowPruningOptimizer", "", {".keras", ".h5"}, "prune", ""},
    {"TensorFlowClusteringOptimizer", "", {".keras", ".h5"}, "cluster", ""},
};

const Link* link_of(const Compiler& one, const std::string& source) {
  for (const Link& link : kLinks) {
    const std::string target = !one.target.empty()         ? one.target
                               : one.type == "TVMCompiler" ? "llvm"
                                                           : "default";
    if (one.type == link.type && is_any(source, link.from) && target.starts_with(link.target))
      return &link;
  }
  return nullptr;
}

/// Kenning's defaults where ours differ.
struct Default {
  const char* type;
  const char* option;
  const char* value;
};
constexpr Default kDefaults[] = {{"TensorFlowPruningOptimizer", "sparsity", "0.1"},
                                 {"TensorFlowPruningOptimizer", "fine_tune", "3"},
                                 {"TensorFlowClusteringOptimizer", "clusters", "10"},
                                 {"TensorFlowClusteringOptimizer", "keep_zeros", "false"}};

/// "prune?sparsity=0.1&fine_tune=3".
std::string text_of(const Link& link, const Compiler& one) {
  auto options = one.options;
  for (const Default& usual : kDefaults)
    if (one.type == usual.type &&
        std::none_of(options.begin(), options.end(),
                     [&](const auto& option) { return option.first == usual.option; }))
      options.emplace_back(usual.option, usual.value);
  if (std::string_view(link.to) == "tvm" && one.target != "llvm" && !one.target.empty())
    options.emplace_back("target", one.target);
  std::string text = link.to;
  for (const auto& [name, value] : options)
    text += (text.find('?') == std::string::npos ? "?" : "&") + name + "=" + value;
  return text;
}

std::string with_extension(const std::string& path, const std::string& wanted) {
  return std::filesystem::path(path).replace_extension(wanted).string();
}

/// TVM reads a Keras model by way of ONNX here.
std::vector<Compiler> by_onnx(const std::string& model, const std::vector<Compiler>& chain) {
  std::vector<Compiler> all = chain;
  if (all.empty() || all.front().type != "TVMCompiler" || all.front().out.empty() ||
      !link_of(all.front(), ".onnx") || !is_any(extension(model), {".keras", ".h5", ".pb"}))
    return all;
  all.insert(all.begin(), {"ONNXCompiler", "", all.front().out, {}});
  return all;
}

}  // namespace

bool runs_here(const std::string& path) {
  for (const char* const known : {".tflite", ".onnx", ".xml", ".so"})
    if (extension(path) == known) return true;
  return !engine::own_plugin_for(path).empty();
}

Compiled compile(const std::string& model, const std::vector<Compiler>& chain) {
  Compiled done;
  std::string current = model;
  for (const Compiler& one : by_onnx(model, chain)) {
    const std::string label = one.type + (one.target.empty() ? "" : " for " + one.target);
    if (one.type == "ModelInserter") continue;
    // A resource of Kenning's is not a file here.
    const Link* const link =
        current.starts_with("kenning://") ? nullptr : link_of(one, extension(current));
    if (link && !one.out.empty()) {
      if (done.to.empty()) done.model = current;
      done.to.push_back(text_of(*link, one));
      done.out = with_extension(one.out, *link->result ? link->result : extension(current));
      current = done.out;
      if (one.target == "edgetpu")
        done.notes.emplace_back(label,
                                "the Edge TPU's own compiler takes the int8 .tflite that is made "
                                "here; run 'edgetpu_compiler' on it, and the result with the "
                                "delegate on the device");
      continue;
    }
    if (!done.to.empty()) {
      done.notes.emplace_back(label, "not done here; the model is the one before it");
    } else if (runs_here(one.out)) {
      done.notes.emplace_back(label, "not done here: the model is " + one.out +
                                         ", which Kenning makes and which runs here");
      current = one.out;
    } else {
      done.notes.emplace_back(label, "not done here, and what it makes does not run here");
    }
  }
  if (done.model.empty()) done.model = current;
  if (done.model.starts_with("kenning://"))
    done.notes.emplace_back(done.model, "a resource of Kenning's: fetch it and give the file");
  return done;
}

std::string report_folder(const std::string& measurements) {
  return std::filesystem::path(measurements).replace_extension().string();
}

}  // namespace edgeprobe::scenario::kenning
