// SPDX-License-Identifier: Apache-2.0
#include "scenario/kenning/compile.h"

#include <filesystem>
#include <string_view>

#include "engine/plugin.h"

namespace edgeprobe::scenario::kenning {
namespace {

std::string extension(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

/// The arguments for `convert`; "" if there are none.
std::string conversion(const Compiler& compiler) {
  if (compiler.type == "TVMCompiler")
    return compiler.target.empty() || compiler.target.starts_with("llvm") ? "tvm" : "";
  if (compiler.type == "TFLiteCompiler" && compiler.target == "int8") return "int8";
  return "";
}

std::string with_extension(const std::string& path, const std::string& wanted) {
  return std::filesystem::path(path).replace_extension(wanted).string();
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
  for (const Compiler& one : chain) {
    const std::string to = conversion(one);
    const std::string label = one.type + (one.target.empty() ? "" : " for " + one.target);
    const bool is_source = extension(current) == ".tflite" || extension(current) == ".onnx";
    if (!to.empty() && is_source && done.to.empty() && !one.out.empty()) {
      done.model = current;
      done.to = to;
      done.out = with_extension(one.out, to == "tvm" ? ".so" : extension(current));
      current = done.out;
      continue;
    }
    if (one.type == "ModelInserter") continue;
    if (!done.to.empty()) {
      done.notes.emplace_back(label,
                              "a scenario converts once; run 'edgeprobe convert' for the "
                              "steps before it");
      continue;
    }
    if (runs_here(one.out)) {
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
