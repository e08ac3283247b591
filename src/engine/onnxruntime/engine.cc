// SPDX-License-Identifier: Apache-2.0
#include "engine/onnxruntime/engine.h"

#include "core/file.h"
#include "core/text.h"
#include "engine/onnxruntime/session.h"
#include "engine/runtime_engine.h"

namespace edgeprobe::engine::onnxruntime {
namespace {

/// The table of functions is append-only, so a newer library would most likely do; nobody has seen
/// it, though.
constexpr Version kOldest{1, 14};
constexpr Version kNewest{1, 31};

std::string to_text(const Version& version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

}  // namespace

Result<std::unique_ptr<Engine>> open(const std::filesystem::path& path, bool force_version) {
  EP_TRY(auto library, SharedLibrary::open(path));
  EP_TRY(const auto base, base_of(library));
  const char* const told = base->version();
  const std::string version = sanitized(told ? told : "");
  const Version number = version_of(version);
  const bool known = number.major == kOldest.major && number.minor >= kOldest.minor &&
                     number.minor <= kNewest.minor;
  if (!known && !force_version)
    return Error{ErrorKind::kUnsupported,
                 "library '" + sanitized(path.string(), 300) + "' is ONNX Runtime version '" +
                     version + "', edgeprobe knows " + to_text(kOldest) + " to " +
                     to_text(kNewest) +
                     "; give a library of these, or force the version to try this one"};
  EP_TRY(const auto api, bind(*base, library));
  EP_TRY(const auto file, MappedFile::open(library.path()));
  EngineIdentity identity{"onnxruntime", version, library.path(), sha256(file)};
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
