// SPDX-License-Identifier: Apache-2.0
#include "placement/accuracy/comparison.h"

#include <algorithm>

#include "stats/proportion.h"
#include "stats/rank.h"
#include "stats/significance.h"
#include "task/tasks.h"

namespace edgeprobe::placement {
namespace {

constexpr const char* kVerdicts[] = {"no difference shown", "differs: better", "differs: worse",
                                     "stopped"};

Comparison pair_of(const Answers& base, const Answers& model) {
  Comparison pair;
  std::vector<task::ScorePair> scores;
  std::vector<double> same;
  for (std::size_t i = 0; i < std::min(base.frames.size(), model.frames.size()); ++i) {
    const auto &first = base.frames[i], &second = model.frames[i];
    if (!first || !second) continue;
    scores.push_back({first->is_best ? 1.0 : 0.0, second->is_best ? 1.0 : 0.0});
    same.push_back(first->best == second->best ? 1 : 0);
  }
  pair.frames = scores.size();
  if (base.classes == model.classes) pair.same = task::kClassification.aggregate(same);
  pair.top_1 = task::kClassification.paired_test(scores);
  // Resampled, no difference stays none; but more frames may have some.
  if (pair.top_1.reference_better + pair.top_1.target_better == 0) {
    const double most = stats::wilson(0, pair.frames).high;
    pair.top_1.difference_ci95 = {-most, most};
  }
  return pair;
}

}  // namespace

const char* name(AccuracyVerdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)]; }

std::vector<Comparison> compared(const Answers& base, const std::vector<Answers>& models) {
  std::vector<Comparison> pairs;
  std::vector<double> p;
  for (const Answers& model : models) {
    pairs.push_back(pair_of(base, model));
    p.push_back(pairs.back().top_1.p_value);
  }
  const std::vector<double> adjusted = stats::holm(p);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Comparison& pair = pairs[i];
    pair.p_adjusted = adjusted[i];
    if (base.is_stopped || models[i].is_stopped) pair.verdict = AccuracyVerdict::kStopped;
    else if (stats::is_significant(pair.p_adjusted))
      pair.verdict = pair.top_1.target_better > pair.top_1.reference_better
                         ? AccuracyVerdict::kBetter
                         : AccuracyVerdict::kWorse;
  }
  return pairs;
}

}  // namespace edgeprobe::placement
