// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/result.h"
#include "engine/options.h"

namespace edgeprobe::engine {

/// A delegate as --delegate has it: "gpu", "nnapi", either with ":LIB.so", "external:LIB.so" or
/// "LIB.so" alone; then "?key=value&key=value". kUsage for another text.
Result<Delegate> delegate_from_text(const std::string& text);

}  // namespace edgeprobe::engine
