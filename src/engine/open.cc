// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"
#include "engine/engine.h"
#include "engine/library_choice.h"
#include "engine/litert/engine.h"
#include "engine/onnxruntime/engine.h"
#include "engine/openvino/engine.h"
#include "engine/pinned.h"
#include "engine/tflite/engine.h"
#include "engine/tvm/engine.h"

namespace edgeprobe::engine {
namespace {

Result<std::unique_ptr<Engine>> open_kind(const EngineChoice& choice,
                                          const std::filesystem::path& library) {
  if (choice.kind == "litert") return litert::open(library, choice.force_version);
  if (choice.kind == "tflite") return tflite::open(library, choice.force_version);
  if (choice.kind == "onnxruntime") return onnxruntime::open(library, choice.force_version);
  if (choice.kind == "tvm") return tvm::open(library, choice.force_version);
  if (choice.kind == "openvino") return openvino::open(library, choice.force_version);
  return Error{Fault::kUsage, "engine '" + printable(choice.kind) + "' is unknown"};
}

/// The option of script/setup that fetches a kind; the default engine needs none.
std::string setup_option(const std::string& kind) { return kind == "litert" ? "" : " --" + kind; }

}  // namespace

Result<std::filesystem::path> library_of(const EngineChoice& choice) {
  if (!choice.library.empty()) return choice.library;
  const auto places = default_libraries(choice.kind);
  if (places.empty())
    return Error{Fault::kUsage, "engine '" + printable(choice.kind) + "' is unknown"};
  std::error_code ignored;
  for (const auto& place : places)
    if (std::filesystem::exists(place, ignored)) return place;
  std::string looked;
  for (const auto& place : places)
    if (looked.find("'" + printable(place.parent_path().string(), 300) + "'") == std::string::npos)
      looked += (looked.empty() ? "'" : ", '") + printable(place.parent_path().string(), 300) + "'";
  return Error{Fault::kNotFound,
               "no library for engine '" + choice.kind + "' was found; run script/setup" +
                   setup_option(choice.kind) + ", or name one as '" + choice.kind +
                   ":/path/to/library.so' (looked for " +
                   printable(places.front().filename().string(), 100) + " in " + looked + ")"};
}

Result<std::unique_ptr<Engine>> open_in_process(const EngineChoice& choice) {
  const auto library = library_of(choice);
  if (!library) return library.error();
  auto engine = open_kind(choice, *library);
  if (!engine) return engine;
  return pinned(*std::move(engine));
}

}  // namespace edgeprobe::engine
