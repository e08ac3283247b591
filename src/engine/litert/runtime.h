// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>

#include "core/result.h"
#include "engine/litert/api.h"
#include "engine/shared_library.h"

namespace edgeprobe::engine::litert {

/// An opened library and its environments; sessions keep it alive.
class Runtime {
 public:
  static Result<std::shared_ptr<Runtime>> start(SharedLibrary library, const Api& api, bool tried);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime();

  const Api& api() const { return api_; }
  const std::filesystem::path& path() const { return library_.path(); }
  /// The environment without accelerators.
  CEnvironment* environment() const { return environment_; }
  /// The environment with the GPU accelerator in a folder, opened on first use. kUnsupported if
  /// LiteRT does not accept that accelerator.
  Result<CEnvironment*> gpu_environment(const std::filesystem::path& folder);
  /// True if the library's hash is that of a tested version.
  bool tried() const { return tried_; }
  bool tells_delegation() const { return tells_delegation_; }

 private:
  Runtime(SharedLibrary library, const Api& api, bool tried)
      : library_(std::move(library)), api_(api), tried_(tried) {}
  bool has_gpu(CEnvironment* environment) const;

  SharedLibrary library_;
  Api api_;
  bool tried_;
  bool tells_delegation_ = false;
  CEnvironment* environment_ = nullptr;
  std::map<std::filesystem::path, CEnvironment*> gpu_environments_;
};

}  // namespace edgeprobe::engine::litert
