// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/result.h"
#include "engine/options.h"

namespace edgeprobe::serve {

/// The options of a session for a client: its own, as JSON, where it may choose, else those of the
/// operator. kUsage for what it may not choose.
Result<engine::SessionOptions> client_options(std::string_view json,
                                              const engine::SessionOptions& operators);

}  // namespace edgeprobe::serve
