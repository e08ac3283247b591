// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/engine.h"
#include "engine/tflite/api.h"
#include "engine/tflite/op_resolver.h"

namespace edgeprobe::engine::tflite {

/// An opened library; sessions keep it alive.
struct Runtime {
  Runtime(SharedLibrary opened, const Api& bound) : library(std::move(opened)), api(bound) {}
  SharedLibrary library;
  Api api;
  std::optional<ReferenceResolver> reference;
};

Result<std::unique_ptr<Session>> load_session(std::shared_ptr<Runtime> runtime, ByteView model,
                                              const SessionOptions& options);

}  // namespace edgeprobe::engine::tflite
