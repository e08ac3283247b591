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
  std::filesystem::path folder;             ///< That the files of the functions are looked for in.
  std::string interpreter;                  ///< Empty: $EDGEPROBE_PYTHON, else python3.
  std::chrono::milliseconds limit{60'000};  ///< For the import of a file, and for each frame.
};

/// Runs "checks.py:bright" and others over the frames of a trace, each in a process of its own
/// (python/edgeprobe/assertion_child.py). A function that raises, hangs, dies or cannot be started
/// "cannot tell", and the next one goes on. kInterrupted when stopped.
Result<std::vector<Finding>> check_python(const std::vector<std::string>& functions,
                                          const std::filesystem::path& trace,
                                          const PythonOptions& options, const Control& control);

}  // namespace edgeprobe::contract
