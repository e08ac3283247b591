// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// A Python with PyTorch: `given`, else the first of $EDGEPROBE_PYTHON, python3 and the system's
/// own that has it. kUsage with the cure if there is none.
Result<std::string> torch_python(const std::string& given, Terminal& terminal);

}  // namespace edgeprobe::cli
