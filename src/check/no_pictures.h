// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/result.h"
#include "pipeline/inputs/raw_inputs.h"
#include "trace/read/reader.h"

namespace edgeprobe::check {

/// Why no frame of a trace has a picture to replay, and what would give it one. `data` is the
/// folder of --data, or empty.
Error no_pictures(const trace::Reader& trace, const pipeline::TraceSamples& raw,
                  const std::string& data);

}  // namespace edgeprobe::check
