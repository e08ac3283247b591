// SPDX-License-Identifier: Apache-2.0
#include "engine/litert/engine.h"

#include "core/text.h"
#include "engine/library_hash.h"
#include "engine/litert/session.h"
#include "engine/runtime_engine.h"
#include "engine/version.h"

namespace edgeprobe::engine::litert {
namespace {

/// Known offsets of its profiler and delegation functions. The library has no function that returns
/// its version.
struct KnownLibrary {
  const char* sha256;
  const char* version;
};
constexpr KnownLibrary kKnown[] = {
    {"eec47eb35e2924b3166015887e652a58edc9af823ae38e02bf83bef2548300bb", "2.3.0"},  // PyPI, x86-64
};

}  // namespace

Result<std::unique_ptr<Engine>> open(const std::filesystem::path& path) {
  EP_TRY(auto library, SharedLibrary::open(path));
  EP_TRY(auto api, bind(library));
  EP_TRY(auto hash, library_sha256(library.path()));
  EngineIdentity identity{"litert", "", library.path(), std::move(hash)};
  for (const KnownLibrary& known : kKnown)
    if (identity.sha256 == known.sha256) identity.version = known.version;
  const bool tried = !identity.version.empty();
  if (identity.version.empty())
    identity.version = packaged_version(library.path(), "ai_edge_litert", "ai_edge_litert");
  if (identity.version.empty()) identity.version = "unknown";
  else if (version_of(identity.version) < kTriedVersions.oldest)
    return Error{
        ErrorKind::kUnsupported,
        "library '" + sanitized(path.string(), 300) + "' is LiteRT " + identity.version +
            ", whose functions take other arguments: take " + version_text(kTriedVersions.oldest) +
            " or newer (pip install 'ai-edge-litert>=" + version_text(kTriedVersions.oldest) +
            "', or 'edgeprobe fetch litert')"};
  EP_TRY(auto runtime, Runtime::start(std::move(library), api, tried));
  identity.abilities = {"xnnpack", "builtin"};
  if (tried) identity.abilities.emplace_back("op times");
  if (runtime->tells_delegation()) identity.abilities.emplace_back("delegated ops");
  return std::unique_ptr<Engine>(std::make_unique<RuntimeEngine>(
      std::move(identity),
      [runtime = std::move(runtime)](ByteView model, std::string_view,
                                     const SessionOptions& options) {
        return load_session(runtime, model, options);
      },
      load_advice));
}

}  // namespace edgeprobe::engine::litert
