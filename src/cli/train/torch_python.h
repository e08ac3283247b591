// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// A Python with PyTorch: `given`, else the first of $EDGEPROBE_PYTHON, python3, the system's own
/// and that of fetch_torch() that has it. kUsage with the cure if there is none.
Result<std::string> torch_python(const std::string& given, Terminal& terminal);

/// A Python with Debian's PyTorch in the user's cache.
struct FetchedTorch {
  std::string python;
  bool was_there = false;
};
/// Unpacks it, without root, if it is not there. kTarget without a network, or if the system is not
/// Debian or a relative.
Result<FetchedTorch> fetch_torch(Terminal& terminal);

}  // namespace edgeprobe::cli
