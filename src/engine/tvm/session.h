// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"
#include "engine/tvm/api.h"

namespace edgeprobe::engine::tvm {

/// The opened libraries; sessions keep them alive.
struct Runtime {
  SharedLibrary ffi;
  SharedLibrary library;
  Api api;
};

/// `model` is a module written by tvm.compile(…).export_library(), with the metadata of `edgeprobe
/// convert`. It is machine code: kUnsupported outside an engine process.
Result<std::unique_ptr<Session>> load_session(std::shared_ptr<Runtime> runtime, ByteView model,
                                              const SessionOptions& options);

}  // namespace edgeprobe::engine::tvm
