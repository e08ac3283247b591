// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"

namespace edgeprobe::engine::tvm {

/// Opens TVM's libtvm_runtime.so with the libtvm_ffi.so beside it (or where the two wheels put
/// them). kUnsupported when it is none, or when its objects lie differently in memory.
Result<std::unique_ptr<Engine>> open(const std::filesystem::path& library);

}  // namespace edgeprobe::engine::tvm
