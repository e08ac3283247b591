// SPDX-License-Identifier: Apache-2.0
#include "diagnose/fix/standing.h"

#include <cmath>

#include "stats/proportion.h"

namespace edgeprobe::fix {
namespace {

using diagnose::Outcome;
using diagnose::Standing;

constexpr double kLeastRestored = 0.3;
/// A smaller loss of the score may be chance; a fraction of it means nothing.
constexpr double kLeastLoss = 0.02, kLeastFrames = 2;

bool known(const std::optional<double>& value) { return value && std::isfinite(*value); }

}  // namespace

Standing standing_of(const diagnose::Verdict& verdict) {
  Standing standing;
  standing.outcome = verdict.outcome;
  standing.output_distance = verdict.output_distance;
  // Fixes are tried by running models, which produce outputs but no answers of the app.
  if (known(verdict.task.target) && known(verdict.task.reference) && !verdict.task.of_answers) {
    standing.score = verdict.task.target;
    standing.ci95 = verdict.task.target_ci95;
    standing.reference_score = verdict.task.reference;
    standing.of_labels = true;
    standing.n = verdict.task.n;
  } else if (known(verdict.task.top1_agreement)) {
    standing.score = verdict.task.top1_agreement;
    standing.reference_score = 1;
    standing.n = verdict.coverage.frames_compared;
    standing.ci95 = stats::wilson(
        static_cast<std::uint64_t>(std::llround(*standing.score * double(standing.n))), standing.n);
  }
  return standing;
}

std::optional<double> restored_share(const Standing& before, const Standing& after) {
  if (before.score && after.score && before.of_labels == after.of_labels) {
    const double lost = before.reference_score.value_or(1) - *before.score;
    if (lost > kLeastLoss && lost * double(before.n) > kLeastFrames)
      return (*after.score - *before.score) / lost;
  }
  if (known(before.output_distance) && known(after.output_distance) && *before.output_distance > 0)
    return 1 - *after.output_distance / *before.output_distance;
  return std::nullopt;
}

bool helps(const Standing& before, const Standing& after) {
  const auto restored = restored_share(before, after);
  if (restored && *restored >= kLeastRestored) return true;
  return after.outcome == Outcome::kAgrees && before.outcome == Outcome::kDiffers &&
         (!restored || *restored > 0);
}

bool is_better(const Standing& a, const Standing& b) {
  if ((a.outcome == Outcome::kAgrees) != (b.outcome == Outcome::kAgrees))
    return a.outcome == Outcome::kAgrees;
  if (a.score && b.score && *a.score != *b.score) return *a.score > *b.score;
  return known(a.output_distance) && known(b.output_distance) &&
         *a.output_distance < *b.output_distance;
}

}  // namespace edgeprobe::fix
