// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options/json_flag.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "scenario/plan.h"
#include "scenario/scenario.h"

namespace edgeprobe::cli {

/// How a scenario runs.
struct ScenarioWay {
  std::string source;  ///< Its file, or the command line that it was translated from.
  scenario::Results results;
  bool dry_run = false;
  bool trust = false;  ///< Load libraries named in the scenario.
  JsonFlag json;
};

/// kUsage for code that a scenario in `source` names, unless it is trusted: libraries and plug-ins
/// (cli/options/trust.h). An engine and data that flags name are the user's own choice.
Status check_code(const scenario::Scenario& scenario, const std::string& source, bool trust,
                  bool engine_is_given, bool data_is_given);

/// Runs the verbs of a complete scenario one after the other. Returns the most severe outcome;
/// stops at the first failure and keeps earlier results.
Result<Outcome> run_scenario(const scenario::Scenario& scenario, const ScenarioWay& way,
                             Terminal& terminal);

}  // namespace edgeprobe::cli
