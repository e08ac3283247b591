// SPDX-License-Identifier: Apache-2.0
#include "compare/outputs/answers.h"

#include <algorithm>
#include <cmath>

#include "stats/bootstrap.h"
#include "task/classification.h"

namespace edgeprobe::compare {

std::vector<double> relative_distances(const std::vector<Squares>& squares, std::size_t outputs) {
  std::vector<double> distances;
  if (outputs == 0) return distances;
  const std::size_t frames = squares.size() / outputs;
  std::vector<double> usual(outputs, 0);  // Mean square of the reference, per output.
  for (std::size_t i = 0; i < frames * outputs; ++i)
    usual[i % outputs] += squares[i].reference / static_cast<double>(frames);
  for (std::size_t f = 0; f < frames; ++f) {
    double sum = 0;
    for (std::size_t o = 0; o < outputs; ++o) {
      const Squares& one = squares[f * outputs + o];
      const double scale = std::max(one.reference, usual[o]);
      // A reference of zeros has no scale: any difference counts fully.
      sum += scale > 0 ? std::sqrt(one.difference / scale) : one.difference > 0 ? 1 : 0;
    }
    distances.push_back(sum / static_cast<double>(outputs));
  }
  return distances;
}

void Answers::choose(const std::vector<TensorSpec>& specs) {
  outputs_ = specs.size();
  reading_ = task::task_of(specs);
  if (!reading_) return;
  task_.task = reading_->task;
  task_.output = specs[reading_->outputs.front()].name;
}

bool Answers::is_read(std::size_t index) const {
  return reading_ && std::find(reading_->outputs.begin(), reading_->outputs.end(), index) !=
                         reading_->outputs.end();
}

void Answers::begin(const FrameAgreement& frame) {
  frame_ = frame;
  seen_ = 0;
  finite_ = true;
  unlike_ = false;
  variation_ = 0;
  reference_.assign(outputs_, {});
  target_.assign(outputs_, {});
  squares_.resize(frames_ * outputs_);
}

void Answers::add(std::size_t index, const TensorView& reference, const TensorView& target,
                  const Moments& pair) {
  ++seen_;
  // Without detections, the list is empty on both sides.
  const bool is_empty = element_count(reference.spec->shape) == 0;
  // If some values are non-finite on both sides, such as NaN padding, uses the others.
  finite_ =
      finite_ && pair.non_finite_mismatch == 0 && pair.overflow == 0 && (pair.n > 0 || is_empty);
  const double norm_sq = pair.m2_r + static_cast<double>(pair.n) * pair.mean_r * pair.mean_r;
  variation_ += pair.sum_abs_d / 2;
  squares_.push_back({pair.sum_sq_d, norm_sq});
  const bool is_task = is_read(index);
  if (!is_task && !all_probabilities_) return;
  auto r = to_float(reference), t = to_float(target);
  if (!r || !t) return;  // both are readable, since they were compared before
  const Quantization& q = reference.spec->quantization;
  const double step = is_integer(reference.spec->dtype) && !q.empty() ? double{q.scale[0]} : 0;
  const bool probabilities = task::are_probabilities(*r, step);
  all_probabilities_ = all_probabilities_ && probabilities;
  if (!is_task) return;
  read_probabilities_ = read_probabilities_ && probabilities;
  reference_[index] = *std::move(r);
  target_[index] = *std::move(t);
}

void Answers::add_answers() {
  const task::Task& task = *reading_->task;
  frame_.reference_answer = task::answer_of(*reading_, reference_);
  frame_.target_answer = task::answer_of(*reading_, target_);
  // A reference of NaN has no answer; neither has a target of NaN, which counts as wrong.
  if (!frame_.reference_answer || !frame_.target_answer || !task.is_given(*frame_.reference_answer))
    return;
  agreements_.push_back(task.agreement(*frame_.reference_answer, *frame_.target_answer));
  if (std::holds_alternative<task::ClassAnswer>(*frame_.reference_answer)) {
    const std::size_t place = reading_->outputs.front(), k = std::max<std::size_t>(1, top_k_);
    std::vector<int> best_r = task::top_k(reference_[place], k),
                     best_t = task::top_k(target_[place], k);
    task_.k = best_r.size();
    std::sort(best_r.begin(), best_r.end());
    std::sort(best_t.begin(), best_t.end());
    task_.same_top_k += task.is_given(*frame_.target_answer) && best_r == best_t;
  }
  const auto right_r = task::score_of(task, frame_.reference_answer, frame_.annotation);
  if (!right_r) return;
  const auto right_t = task::score_of(task, frame_.target_answer, frame_.annotation);
  scores_.push_back({*right_r, right_t.value_or(0)});
}

void Answers::end(std::vector<FrameAgreement>& frames) {
  if (reading_) add_answers();
  const bool whole = outputs_ > 0 && seen_ == outputs_ && finite_;
  const auto count = static_cast<double>(std::max<std::size_t>(1, outputs_));
  // Placeholder until the scale over all frames is known.
  frame_.output_distance = whole ? 0.0F : -1.0F;
  if (whole) ++frames_;
  unlike_frames_ += unlike_;
  variations_.push_back(whole ? static_cast<float>(variation_ / count) : -1);
  frames.push_back(frame_);
}

void Answers::finish(Agreement& agreement) {
  // Distributions differ by at most 1; beyond that, the target's values are not probabilities.
  const bool variation =
      outputs_ > 0 && all_probabilities_ &&
      std::all_of(variations_.begin(), variations_.end(), [](float one) { return one <= 1.01f; });
  agreement.output_distance_kind =
      variation ? OutputDistance::kTotalVariation : OutputDistance::kRelativeL2;
  squares_.resize(frames_ * outputs_);
  const std::vector<double> relative = relative_distances(squares_, outputs_);
  std::vector<double> known;
  std::size_t annotated = 0, whole = 0;
  for (std::size_t i = 0; i < agreement.frames.size(); ++i) {
    FrameAgreement& frame = agreement.frames[i];
    if (frame.output_distance >= 0)
      frame.output_distance = variation ? variations_[i] : static_cast<float>(relative[whole++]);
    if (frame.output_distance >= 0) known.push_back(double{frame.output_distance});
    annotated += frame.annotation && !task::classes_of(*frame.annotation).empty() &&
                 frame.reference_answer && reading_->task->is_given(*frame.reference_answer);
  }
  if (!known.empty()) {
    double sum = 0;
    for (const double distance : known) sum += distance;
    agreement.output_distance = sum / static_cast<double>(known.size());
    agreement.output_distance_ci95 = stats::bootstrap_mean(known);
  }
  if (known.size() + unlike_frames_ < agreement.frames.size() && outputs_ > 0)
    agreement.problems.push_back(
        std::to_string(agreement.frames.size() - known.size() - unlike_frames_) +
        " frames lack outputs or hold values that are not finite; they have no output distance");
  if (agreements_.empty()) return;
  if (annotated > scores_.size())
    agreement.problems.push_back(std::to_string(annotated - scores_.size()) +
                                 " labels lie outside the classes of output '" + task_.output +
                                 "' and do not count");
  const task::Task& task = *task_.task;
  std::vector<double> reference, target;
  for (const task::ScorePair& pair : scores_) {
    reference.push_back(pair.reference);
    target.push_back(pair.target);
  }
  task_.agreement = task.aggregate(agreements_);
  task_.reference = task.aggregate(reference);
  task_.target = task.aggregate(target);
  task_.test = task.paired_test(scores_);
  task_.probabilities = read_probabilities_;
  agreement.task = std::move(task_);
}

}  // namespace edgeprobe::compare
