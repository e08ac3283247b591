// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// Output of a finished program.
struct ToolRun {
  int exit_code = 0;
  std::string output;      ///< All of standard output, at most 16 MB.
  std::string last_words;  ///< The last non-empty line of standard error, sanitized.
};

/// Runs a program in its own process group, with `input` as its standard input. Ctrl-C stops it and
/// all its children (kInterrupted). kNotFound: it cannot be started; kTarget: it was killed by a
/// signal. `heard` is called about once a second for each new line of standard error.
Result<ToolRun> run_tool(const std::vector<std::string>& words, const std::string& input,
                         const Control& control,
                         const std::function<void(const std::string& line)>& heard = {});

}  // namespace edgeprobe::cli
