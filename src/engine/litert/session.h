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
/// accelerator that it names, else the one beside LiteRT's library, else the one that
/// `script/setup --gpu` brought. kUsage for another delegate or options of it, kNotFound when there
/// is no accelerator, kUnsupported when LiteRT does not take it.
Result<CEnvironment*> environment_with(Runtime& runtime, const Delegate& wanted);

/// "gpu", or "gpu (software)" where the driver computes on the processor.
std::string gpu_name();

/// Of a model that the accelerator did not compile.
Error gpu_failure(int status);

/// Turns the runtime's profiler events into operator times, in microseconds. `op_count` is the
/// number of operators of the main graph.
std::vector<OpTime> op_times(const std::vector<ProfilerEvent>& events, int op_count);

}  // namespace edgeprobe::engine::litert
