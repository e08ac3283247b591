// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"

namespace edgeprobe::engine::tvm {

/// Opens TVM's libtvm_runtime.so with the libtvm_ffi.so next to it (or where the two wheels put
/// them). kUnsupported if it is another library, or if its objects have another memory layout.
Result<std::unique_ptr<Engine>> open(const std::filesystem::path& library);

}  // namespace edgeprobe::engine::tvm
