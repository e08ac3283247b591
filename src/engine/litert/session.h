// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"
#include "engine/litert/runtime.h"

namespace edgeprobe::engine::litert {

Result<std::unique_ptr<Session>> load_session(std::shared_ptr<Runtime> runtime, ByteView model,
                                              const SessionOptions& options);

}  // namespace edgeprobe::engine::litert
