// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "contract/finding.h"
#include "core/control.h"
#include "core/result.h"

namespace edgeprobe::contract {

struct PythonOptions {
  std::filesystem::path folder;             ///< Folder of the functions' files.
  std::string interpreter;                  ///< Empty: $EDGEPROBE_PYTHON, else python3.
  std::chrono::milliseconds limit{60'000};  ///< Limit for importing a file, and for each frame.
};

/// Runs "checks.py:bright" and other functions over the frames of a trace, each in a separate
/// process (python/edgeprobe/plugins/assertions.py). A function that raises, hangs, dies or cannot
/// be started "cannot tell"; the next one then runs. kInterrupted if stopped.
Result<std::vector<Finding>> check_python(const std::vector<std::string>& functions,
                                          const std::filesystem::path& trace,
                                          const PythonOptions& options, const Control& control);

}  // namespace edgeprobe::contract
