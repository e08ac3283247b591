// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe stretch split MODEL`: which layers could be computed in parts, and the model that
/// does so.
struct StretchSplitArgs {
  std::string model;
  std::string output;  ///< Where the model in parts is written; "": nowhere.
  bool rows = false;   ///< Rows where that is possible, channels of the rest.
  std::vector<double> shares{1, 1};
  bool force = false;
  JsonFlag json;
};

/// kDone, also where nothing can be split; the errors of the reader, of subject_of() and split().
Result<Outcome> run(const StretchSplitArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
