// SPDX-License-Identifier: Apache-2.0
#include "engine/onnxruntime/engine.h"

#include "core/text.h"
#include "engine/library_hash.h"
#include "engine/onnxruntime/session.h"
#include "engine/runtime_engine.h"

namespace edgeprobe::engine::onnxruntime {

Result<std::unique_ptr<Engine>> open(const std::filesystem::path& path) {
  EP_TRY(auto library, SharedLibrary::open(path));
  EP_TRY(const auto base, base_of(library));
  const char* const told = base->version();
  const std::string version = sanitized(told ? told : "");
  EP_TRY(const auto api, bind(*base, library));
  EP_TRY(auto hash, library_sha256(library.path()));
  EngineIdentity identity{"onnxruntime", version, library.path(), std::move(hash)};
  identity.abilities.emplace_back("optimization levels");
  if (api.takes_providers()) identity.abilities.emplace_back("delegates");
  if (api.profiles_runs()) identity.abilities.emplace_back("op times");
  EP_TRY(auto runtime, Runtime::start(std::move(library), api, version));
  return std::unique_ptr<Engine>(std::make_unique<RuntimeEngine>(
      std::move(identity), [runtime = std::move(runtime)](ByteView model, std::string_view,
                                                          const SessionOptions& options) {
        return load_session(runtime, model, options);
      }));
}

}  // namespace edgeprobe::engine::onnxruntime
