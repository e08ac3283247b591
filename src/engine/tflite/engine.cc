// SPDX-License-Identifier: Apache-2.0
#include "engine/tflite/engine.h"

#include "core/text.h"
#include "engine/library_hash.h"
#include "engine/runtime_engine.h"
#include "engine/tflite/session.h"

namespace edgeprobe::engine::tflite {
namespace {

std::vector<std::string> abilities_of(const Api& api) {
  std::vector<std::string> abilities;
  if (api.has_xnnpack()) abilities.emplace_back("xnnpack");
  abilities.emplace_back("builtin");
  if (api.has_reference_kernels()) abilities.emplace_back("reference");
  abilities.emplace_back("delegates");
  if (api.set_profiler) abilities.emplace_back("op times");
  if (api.tells_delegation()) abilities.emplace_back("delegated ops");
  return abilities;
}

}  // namespace

Result<std::unique_ptr<Engine>> open(const std::filesystem::path& path) {
  EP_TRY(auto library, SharedLibrary::open(path));
  EP_TRY(auto api, bind(library));
  const char* const version = api.version();
  EngineIdentity identity{"tflite", sanitized(version ? version : ""), library.path(), {}};
  EP_TRY(identity.sha256, library_sha256(library.path()));
  identity.abilities = abilities_of(api);
  auto runtime = std::make_shared<Runtime>(std::move(library), api);
  return std::unique_ptr<Engine>(std::make_unique<RuntimeEngine>(
      std::move(identity),
      [runtime = std::move(runtime)](ByteView model, std::string_view,
                                     const SessionOptions& options) {
        return load_session(runtime, model, options);
      },
      load_advice));
}

}  // namespace edgeprobe::engine::tflite
