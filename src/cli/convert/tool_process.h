// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// What a program that ran to its end left behind.
struct ToolRun {
  int exit_code = 0;
  std::string output;      ///< All of standard output, at most 16 MB.
  std::string last_words;  ///< The last line of standard error that holds words, made sanitized.
};

/// Runs a program in a process group of its own, with `input` as its standard input. Ctrl-C
/// ends it and all that it started (kInterrupted). kNotFound: it cannot be started; kTarget: it
/// died of a signal.
Result<ToolRun> run_tool(const std::vector<std::string>& words, const std::string& input,
                         const Control& control);

}  // namespace edgeprobe::cli
