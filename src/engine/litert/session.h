// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"
#include "engine/litert/api.h"
#include "engine/litert/runtime.h"
#include "engine/options.h"

namespace edgeprobe::engine::litert {

Result<std::unique_ptr<Session>> load_session(std::shared_ptr<Runtime> runtime, ByteView model,
                                              const SessionOptions& options);

/// The environment for a session with `wanted`, which must be the delegate "gpu": with the
/// accelerator that it names, else the one next to LiteRT's library, else the one from
/// `script/setup --gpu`. kUsage for another delegate or for options, kNotFound if there is no
/// accelerator, kUnsupported if LiteRT does not accept it.
Result<CEnvironment*> environment_with(Runtime& runtime, const Delegate& wanted);

/// "gpu", or "gpu (software)" if the driver computes on the CPU.
std::string gpu_name();

/// Error for a model that the accelerator did not compile.
Error gpu_failure(int status);

/// Converts the runtime's profiler events to operator times, in microseconds. `op_count` is the
/// number of operators of the main graph.
std::vector<OpTime> op_times(const std::vector<ProfilerEvent>& events, int op_count);

}  // namespace edgeprobe::engine::litert
