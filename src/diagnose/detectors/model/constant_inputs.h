// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/read/reader.h"

namespace edgeprobe::diagnose {

/// Whether each model input has one value only in every frame that is looked at (at most 16, evenly
/// spread). False for inputs of less than 16 elements, and where nothing can be read.
bool has_constant_inputs(const trace::Reader& reader);

}  // namespace edgeprobe::diagnose
