// SPDX-License-Identifier: Apache-2.0
#include "compare/outputs/answers.h"

#include <algorithm>
#include <cmath>

#include "stats/bootstrap.h"
#include "stats/proportion.h"
#include "stats/significance.h"
#include "task/classification.h"

namespace edgeprobe::compare {

std::vector<double> relative_distances(const std::vector<Squares>& squares, std::size_t outputs) {
  std::vector<double> distances;
  if (outputs == 0) return distances;
  const std::size_t frames = squares.size() / outputs;
  std::vector<double> usual(outputs, 0);  // Mean square of the reference, by output.
  for (std::size_t i = 0; i < frames * outputs; ++i)
    usual[i % outputs] += squares[i].reference / static_cast<double>(frames);
  for (std::size_t f = 0; f < frames; ++f) {
    double sum = 0;
    for (std::size_t o = 0; o < outputs; ++o) {
      const Squares& one = squares[f * outputs + o];
      const double scale = std::max(one.reference, usual[o]);
      // A reference of zeros has no scale: any difference from it counts in full.
      sum += scale > 0 ? std::sqrt(one.difference / scale) : one.difference > 0 ? 1 : 0;
    }
    distances.push_back(sum / static_cast<double>(outputs));
  }
  return distances;
}

void Answers::choose(const std::vector<const TensorSpec*>& outputs) {
  outputs_ = outputs.size();
  std::vector<TensorSpec> specs;
  for (const TensorSpec* spec : outputs) specs.push_back(*spec);
  scores_ = task::class_output(specs);
  if (scores_) classes_.output = specs[*scores_].name;
}

void Answers::begin(const FrameAgreement& frame) {
  frame_ = frame;
  seen_ = 0;
  finite_ = true;
  variation_ = 0;
  squares_.resize(frames_ * outputs_);
}

void Answers::add(std::size_t index, const TensorView& reference, const TensorView& target,
                  const Moments& pair) {
  ++seen_;
  finite_ = finite_ && pair.nan_r + pair.nan_t + pair.inf_r + pair.inf_t + pair.overflow == 0 &&
            pair.n > 0;
  const double norm_sq = pair.m2_r + static_cast<double>(pair.n) * pair.mean_r * pair.mean_r;
  variation_ += pair.sum_abs_d / 2;
  squares_.push_back({pair.sum_sq_d, norm_sq});
  const bool is_scores = scores_ && *scores_ == index;
  if (!is_scores && !all_probabilities_) return;
  const auto r = to_float(reference), t = to_float(target);
  if (!r || !t) return;  // compared before, so both read
  const Quantization& q = reference.spec->quantization;
  const double step = is_integer(reference.spec->dtype) && !q.empty() ? double{q.scale[0]} : 0;
  const bool probabilities = task::are_probabilities(*r, step);
  all_probabilities_ = all_probabilities_ && probabilities;
  if (!is_scores) return;
  scores_are_probabilities_ = scores_are_probabilities_ && probabilities;
  add_scores(*r, *t);
}

void Answers::add_scores(const std::vector<float>& reference, const std::vector<float>& target) {
  std::vector<int> best_r = task::top_k(reference, top_k_), best_t = task::top_k(target, top_k_);
  if (best_r.empty() || best_t.empty()) {
    best_r = task::top_k(reference, 1);
    best_t = task::top_k(target, 1);
    if (best_r.empty() || best_t.empty()) return;
  }
  // A reference of NaN knows no answer; a target of NaN gives none, and is never right.
  frame_.reference_top1 = task::top_1(reference);
  frame_.target_top1 = task::top_1(target);
  if (frame_.reference_top1 < 0) return;
  ++classes_.n;
  classes_.k = best_r.size();
  classes_.same_top1 += frame_.reference_top1 == frame_.target_top1;
  std::sort(best_r.begin(), best_r.end());
  std::sort(best_t.begin(), best_t.end());
  classes_.same_top_k += frame_.target_top1 >= 0 && best_r == best_t;
  if (!frame_.label || *frame_.label < 0 ||
      static_cast<std::size_t>(*frame_.label) >= reference.size())
    return;
  const bool right_r = frame_.reference_top1 == *frame_.label,
             right_t = frame_.target_top1 == *frame_.label;
  ++classes_.labelled;
  classes_.reference_right += right_r;
  classes_.target_right += right_t;
  classes_.only_reference_right += right_r && !right_t;
  classes_.only_target_right += right_t && !right_r;
  differences_.push_back(static_cast<double>(right_t) - static_cast<double>(right_r));
}

void Answers::end(std::vector<FrameAgreement>& frames) {
  const bool whole = outputs_ > 0 && seen_ == outputs_ && finite_;
  const auto count = static_cast<double>(std::max<std::size_t>(1, outputs_));
  frame_.output_distance = whole ? 0.0F : -1.0F;  // Until the scale of all frames is known.
  if (whole) ++frames_;
  variations_.push_back(whole ? static_cast<float>(variation_ / count) : -1);
  frames.push_back(frame_);
}

void Answers::finish(Agreement& agreement) {
  // Two distributions are at most 1 apart: beyond that the target gives something else than
  // probabilities.
  const bool variation =
      outputs_ > 0 && all_probabilities_ &&
      std::all_of(variations_.begin(), variations_.end(), [](float one) { return one <= 1.01f; });
  agreement.output_distance_kind =
      variation ? OutputDistance::kTotalVariation : OutputDistance::kRelativeL2;
  squares_.resize(frames_ * outputs_);
  const std::vector<double> relative = relative_distances(squares_, outputs_);
  std::vector<double> known;
  std::size_t unlike_label = 0, whole = 0;
  for (std::size_t i = 0; i < agreement.frames.size(); ++i) {
    FrameAgreement& frame = agreement.frames[i];
    if (frame.output_distance >= 0)
      frame.output_distance = variation ? variations_[i] : static_cast<float>(relative[whole++]);
    if (frame.output_distance >= 0) known.push_back(double{frame.output_distance});
    unlike_label += frame.label && frame.reference_top1 >= 0;
  }
  if (!known.empty()) {
    double sum = 0;
    for (const double distance : known) sum += distance;
    agreement.output_distance = sum / static_cast<double>(known.size());
    agreement.output_distance_ci95 = stats::bootstrap_mean(known);
  }
  if (known.size() < agreement.frames.size() && outputs_ > 0)
    agreement.problems.push_back(
        std::to_string(agreement.frames.size() - known.size()) +
        " frames lack outputs or hold values that are not finite; they have no output distance");
  if (!scores_ || classes_.n == 0) return;
  if (unlike_label > classes_.labelled)
    agreement.problems.push_back(std::to_string(unlike_label - classes_.labelled) +
                                 " labels lie outside the classes of output '" + classes_.output +
                                 "' and do not count");
  ClassAgreement& c = classes_;
  c.agreement_ci95 = stats::wilson(c.same_top1, c.n);
  c.reference_ci95 = stats::wilson(c.reference_right, c.labelled);
  c.target_ci95 = stats::wilson(c.target_right, c.labelled);
  c.difference_ci95 = stats::bootstrap_mean(differences_);
  c.p_value = stats::mcnemar_p(c.only_reference_right, c.only_target_right);
  if (!stats::is_significant(c.p_value) && c.labelled > 0)
    c.required_sample_size =
        stats::required_sample_size(c.only_reference_right, c.only_target_right, c.labelled);
  c.probabilities = scores_are_probabilities_;
  agreement.classes = c;
}

}  // namespace edgeprobe::compare
