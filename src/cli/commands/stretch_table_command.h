// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe stretch table PLAN MODEL`: a plan beside everything that its engine does by itself.
struct StretchTableArgs {
  std::string plan, model;
  double seconds = 1;
  int rounds = 3;
  double time_limit_s = 60;  ///< Of one load or one inference.
  JsonFlag json;
};

/// kUndecided where a way has no figures because other programs used the CPUs.
Result<Outcome> run(const StretchTableArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
