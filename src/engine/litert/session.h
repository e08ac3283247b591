// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"
#include "engine/litert/api.h"

namespace edgeprobe::engine::litert {

/// An opened library and its environment; sessions keep it alive.
class Runtime {
 public:
  static Result<std::shared_ptr<Runtime>> start(SharedLibrary library, const Api& api, bool tried);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime();

  const Api& api() const { return api_; }
  CEnvironment* environment() const { return environment_; }
  /// The library's hash is that of a tried version.
  bool tried() const { return tried_; }
  bool tells_delegation() const { return tells_delegation_; }

 private:
  Runtime(SharedLibrary library, const Api& api, bool tried)
      : library_(std::move(library)), api_(api), tried_(tried) {}
  SharedLibrary library_;
  Api api_;
  bool tried_;
  bool tells_delegation_ = false;
  CEnvironment* environment_ = nullptr;
};

Result<std::unique_ptr<Session>> load_session(std::shared_ptr<Runtime> runtime, ByteView model,
                                              const SessionOptions& options);

}  // namespace edgeprobe::engine::litert
