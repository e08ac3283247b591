// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/commands/compare/compare_args.h"
#include "cli/terminal/terminal.h"
#include "compare/golden/golden.h"
#include "compare/outputs/agreement.h"
#include "diagnose/case/case.h"
#include "diagnose/verdict/verdict.h"
#include "report/rulings/rulings.h"

/// Output of `compare`: the decision in words, and the whole agreement as JSON.
namespace edgeprobe::cli {

struct Decision {
  Outcome outcome = Outcome::kUndecided;
  std::string headline;
  double floor = 0;
};
Decision decide(const compare::Agreement& agreement, const CompareArgs& args);

/// The first layer that differs, if both sides had the same model input.
std::optional<diagnose::FirstLayer> first_layer(const compare::Agreement& agreement,
                                                const CompareArgs& args);

std::string json_text(const compare::Agreement& agreement, const Decision& decision,
                      const CompareArgs& args, const std::optional<compare::GoldenReport>& golden);

/// The comparison as an HTML page. `known` names the traces.
Result<std::string> page_text(const diagnose::Case& known, const compare::Agreement& agreement,
                              const Decision& decision, const CompareArgs& args);

/// The decision as one line for build servers.
report::Rulings rulings_of(const compare::Agreement& agreement, const Decision& decision,
                           const CompareArgs& args);

}  // namespace edgeprobe::cli
