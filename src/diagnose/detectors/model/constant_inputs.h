// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/read/reader.h"

namespace edgeprobe::diagnose {

/// True if each model input has only one value in every examined frame (at most 16, evenly spread).
/// False for inputs with fewer than 16 elements, and if nothing can be read.
bool has_constant_inputs(const trace::Reader& reader);

}  // namespace edgeprobe::diagnose
