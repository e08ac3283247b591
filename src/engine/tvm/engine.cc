// SPDX-License-Identifier: Apache-2.0
#include "engine/tvm/engine.h"

#include <dlfcn.h>

#include "core/file.h"
#include "core/text.h"
#include "engine/library_hash.h"
#include "engine/runtime_engine.h"
#include "engine/tvm/session.h"

namespace edgeprobe::engine::tvm {
namespace {

namespace fs = std::filesystem;

/// The runtime does not report its version.
struct TriedLibrary {
  const char* sha256;
  const char* version;
};
constexpr TriedLibrary kTried[] = {
    // PyPI, x86-64
    {"43544bbeaea3cd3ffa919f7eac77244753aff28d1440c42f1ba8df03fa6e3948", "0.27.0.post1"},
};

/// Compiled modules use symbols of libtvm_ffi.so without linking to it, so these must be globally
/// visible.
Result<SharedLibrary> open_ffi(const fs::path& runtime) {
  const fs::path folder = runtime.parent_path();
  fs::path path = folder / "libtvm_ffi.so";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) path = folder / "../../tvm_ffi/lib/libtvm_ffi.so";
  auto library = SharedLibrary::open(path);
  if (!library)
    return std::move(library).error().during("TVM's runtime needs libtvm_ffi.so in its own folder");
  ::dlopen(library->path().c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
  return library;
}

}  // namespace

Result<std::unique_ptr<Engine>> open(const fs::path& path) {
  std::error_code ignored;
  const fs::path file =
      fs::absolute(fs::is_directory(path, ignored) ? path / "libtvm_runtime.so" : path, ignored);
  EP_TRY(auto hash, library_sha256(file));
  EngineIdentity identity{"tvm", "", file, std::move(hash)};
  for (const TriedLibrary& tried : kTried)
    if (identity.sha256 == tried.sha256) identity.version = tried.version;
  EP_TRY(auto ffi, open_ffi(file));
  EP_TRY(auto api, bind(ffi));
  EP_TRY(auto library, SharedLibrary::open(file));
  CVersion version{};
  api.version(&version);
  const std::string interface = std::to_string(version.major) + "." +
                                std::to_string(version.minor) + "." + std::to_string(version.patch);
  if (version.major != 0 || version.minor != 1)
    return Error{
        ErrorKind::kUnsupported,
        "'" + sanitized(ffi.path().string(), 300) + "' has version " + interface +
            ", whose objects have another memory layout; edgeprobe knows 0.1: take the wheels "
            "apache-tvm==0.27.0.post1 and apache-tvm-ffi==0.1.14.post0"};
  auto runtime = std::make_shared<Runtime>(Runtime{std::move(ffi), std::move(library), api});
  // Another library would not have registered these.
  for (const char* const needed :
       {"ffi.ModuleLoadFromFile", "ffi.ModuleGetFunction", "runtime.config_threadpool"})
    if (auto found = global(runtime->api, needed); !found)
      return std::move(found).error().during("library '" + sanitized(path.string(), 300) +
                                             "' is not a TVM runtime");
  if (identity.version.empty()) identity.version = "unknown";
  identity.version += " (ffi " + interface + ")";
  identity.abilities = {"op times"};
  return std::unique_ptr<Engine>(std::make_unique<RuntimeEngine>(
      std::move(identity), [runtime = std::move(runtime)](ByteView model, std::string_view,
                                                          const SessionOptions& options) {
        return load_session(runtime, model, options);
      }));
}

}  // namespace edgeprobe::engine::tvm
