// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe stretch explain PLAN MODEL`: what each processor does of a model, and when.
struct StretchExplainArgs {
  std::string plan, model;
  int runs = 200;
  double time_limit_s = 60;  ///< Of one load or one inference.
  JsonFlag json;
};

Result<Outcome> run(const StretchExplainArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
