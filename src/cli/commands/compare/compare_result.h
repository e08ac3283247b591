// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/commands/compare/compare_args.h"
#include "cli/terminal/terminal.h"
#include "compare/agreement.h"
#include "compare/golden/golden.h"
#include "diagnose/verdict/verdict.h"

/// What `compare` says of an agreement: the decision, and all of it as JSON.
namespace edgeprobe::cli {

struct Decision {
  Outcome outcome = Outcome::kUndecided;
  std::string headline;
  double floor = 0;
  std::optional<double> distance;
  std::string distance_kind;
};
Decision decide(const compare::Agreement& agreement, const CompareArgs& args);

/// The first of the named stages and the model input that is off by more than rounding (one step of
/// 255, RMS), in the reference's order; nothing when the traces have no stage in common, or none
/// is.
const compare::LayerAgreement* first_stage(const compare::Agreement& agreement);

/// The first layer that differs, when both were given the same model input.
std::optional<diagnose::FirstLayer> first_layer(const compare::Agreement& agreement,
                                                const CompareArgs& args);

std::string json_text(const compare::Agreement& agreement, const Decision& decision,
                      const CompareArgs& args, const std::optional<compare::GoldenReport>& golden);

}  // namespace edgeprobe::cli
