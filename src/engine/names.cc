// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/text.h"
#include "engine/engine.h"

namespace edgeprobe::engine {
namespace {

struct Kind {
  const char* name;
  const char* variable;
  std::array<const char*, 2> files;  ///< What set-up fetches first.
};
constexpr Kind kKinds[] = {
    {"litert", "EDGEPROBE_LITERT_LIB", {"libLiteRt.so", nullptr}},
    {"tflite", "EDGEPROBE_TFLITE_LIB", {"libjnitensorflowlite.so", "libtensorflowlite_c.so"}},
    {"onnxruntime", "EDGEPROBE_ONNXRUNTIME_LIB", {"libonnxruntime.so", nullptr}},
    {"tvm", "EDGEPROBE_TVM_LIB", {"tvm/libtvm_runtime.so", nullptr}},
    {"openvino", "EDGEPROBE_OPENVINO_LIB", {"openvino/libs/libopenvino.so.2641", nullptr}},
};

const Kind* find_kind(std::string_view name) {
  for (const Kind& kind : kKinds)
    if (name == kind.name) return &kind;
  return nullptr;
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

}  // namespace

const char* name(Kernels kernels) {
  switch (kernels) {
    case Kernels::kXnnpack: return "xnnpack";
    case Kernels::kBuiltin: return "builtin";
    case Kernels::kReference: return "reference";
  }
  return "unknown";
}

std::optional<Kernels> kernels_from_name(std::string_view text) {
  for (const Kernels kernels : {Kernels::kXnnpack, Kernels::kBuiltin, Kernels::kReference})
    if (text == name(kernels)) return kernels;
  return std::nullopt;
}

std::string kernels_used(const EngineIdentity& identity, const SessionOptions& options) {
  if (options.kernels) return name(*options.kernels);
  const auto& can = identity.abilities;
  return std::find(can.begin(), can.end(), name(Kernels::kXnnpack)) != can.end()
             ? name(Kernels::kXnnpack)
             : "";
}

std::string name_of(const Delegate& delegate) {
  switch (delegate.kind) {
    case Delegate::Kind::kExternal: return delegate.library.string();
    case Delegate::Kind::kGpu: return "gpu";
    case Delegate::Kind::kNnapi: return "nnapi";
  }
  return "unknown";
}

const char* name(Optimization level) {
  switch (level) {
    case Optimization::kOff: return "off";
    case Optimization::kBasic: return "basic";
    case Optimization::kExtended: return "extended";
    case Optimization::kAll: return "all";
  }
  return "unknown";
}

std::optional<Optimization> optimization_from_name(std::string_view text) {
  for (const Optimization level :
       {Optimization::kOff, Optimization::kBasic, Optimization::kExtended, Optimization::kAll})
    if (text == name(level)) return level;
  return std::nullopt;
}

std::string usual_engine(const std::filesystem::path& model) {
  const auto extension = model.extension();
  return extension == ".onnx"  ? "onnxruntime"
         : extension == ".xml" ? "openvino"
         : extension == ".so"  ? "tvm"
                               : "litert";
}

std::vector<std::string> engine_kinds() {
  std::vector<std::string> kinds;
  for (const Kind& kind : kKinds) kinds.emplace_back(kind.name);
  return kinds;
}

Result<EngineChoice> engine_choice_from_text(std::string_view text) {
  const auto colon = text.find(':');
  EngineChoice choice;
  choice.kind = std::string(text.substr(0, colon));
  if (!find_kind(choice.kind)) {
    const std::string near = nearest(choice.kind, engine_kinds());
    return Error{Fault::kUsage, "engine '" + printable(choice.kind) + "' is unknown" +
                                    (near.empty() ? "" : "; did you mean '" + near + "'?") +
                                    (near.empty() ? "; known are " + listed(engine_kinds()) +
                                                        ", each with an optional ':library.so'"
                                                  : "")};
  }
  if (colon != std::string_view::npos) {
    choice.library = std::filesystem::path(text.substr(colon + 1));
    if (choice.library.empty())
      return Error{Fault::kUsage,
                   "engine '" + printable(text) + "' names no library after the colon"};
  }
  return choice;
}

std::vector<std::filesystem::path> default_libraries(std::string_view kind_name) {
  const Kind* const kind = find_kind(kind_name);
  if (!kind) return {};
  std::vector<std::filesystem::path> paths;
  if (const char* given = std::getenv(kind->variable); given && *given) {
    // Somebody who names a library wants that one or an error, never silently another.
    paths.emplace_back(given);
    return paths;
  }
  std::vector<std::filesystem::path> folders;
  std::error_code failed;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) folders.push_back(executable.parent_path().parent_path() / "lib" / "edgeprobe");
#ifdef EDGEPROBE_CHECKOUT
  folders.emplace_back(EDGEPROBE_CHECKOUT "/.deps/engines");
  folders.emplace_back(EDGEPROBE_CHECKOUT "/.deps");
#endif
  for (const auto& folder : folders)
    for (const char* const file : kind->files)
      if (file) paths.push_back(folder / file);
  return paths;
}

}  // namespace edgeprobe::engine
