// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "measurements/from_trace.h"
#include "measurements/json.h"
#include "measurements/keys.h"
#include "stats/roc.h"
#include "task/classification.h"
#include "task/tasks.h"

namespace edgeprobe::measurements {
namespace {

constexpr std::size_t kBest = 5;
/// Scores that are kept in memory, 8 bytes each.
constexpr std::size_t kMostScores = 30'000'000;

/// Scores of a classifier in a trace.
struct Scores {
  const trace::ReadChannel* channel = nullptr;
  std::size_t classes = 0;
};

std::optional<Scores> scores_in(const trace::Reader& trace) {
  std::vector<const trace::ReadChannel*> outputs;
  for (const trace::ReadChannel& channel : trace.channels())
    if (channel.channel.stage == trace::Stage::kModelOutput && channel.messages > 0)
      outputs.push_back(&channel);
  std::stable_sort(outputs.begin(), outputs.end(), [](const auto* a, const auto* b) {
    return a->channel.position < b->channel.position;
  });
  std::vector<TensorSpec> specs;
  for (const trace::ReadChannel* output : outputs) specs.push_back(output->channel.spec);
  const auto place = task::class_output(specs);
  if (!place) return std::nullopt;
  std::size_t classes = 1;
  for (const auto dimension : specs[*place].shape)
    if (dimension > 0) classes *= static_cast<std::size_t>(dimension);
  return Scores{outputs[*place], classes};
}

/// Scores of all frames, to see how well they separate each class from the others.
class Separation {
 public:
  Separation(std::size_t classes, std::size_t frames) : of_(classes), scores_(classes) {
    if (classes * frames > kMostScores)
      why_not_ = "more than " + std::to_string(kMostScores) + " scores";
  }

  void add(std::span<const float> values, const std::vector<int>& right, std::size_t there,
           bool is_among) {
    of_[there].top_5_count += is_among;
    if (values.size() != of_.size()) why_not_ = "a frame has another number of scores";
    if (std::any_of(values.begin(), values.end(), [](float v) { return std::isnan(v); }))
      why_not_ = "a score is NaN";
    if (!why_not_.empty()) return;
    for (std::size_t i = 0; i < of_.size(); ++i) {
      const bool is_of = std::find(right.begin(), right.end(), static_cast<int>(i)) != right.end();
      (is_of ? scores_[i].higher : scores_[i].lower).push_back(values[i]);
    }
  }
  std::vector<ClassScores> finish(Measurements& out) && {
    if (!why_not_.empty()) {
      out.not_measured[keys::kAuc] = "no areas under ROC curves: " + why_not_;
      return std::move(of_);
    }
    for (std::size_t i = 0; i < of_.size(); ++i)
      if (const auto area = stats::area_under_curve(scores_[i].lower, scores_[i].higher))
        of_[i].auc = area->value;
    return std::move(of_);
  }

 private:
  struct OfClass {
    std::vector<double> lower, higher;
  };
  std::string why_not_;
  std::vector<ClassScores> of_;
  std::vector<OfClass> scores_;
};

/// Frames with a true class.
struct Counts {
  std::size_t labelled = 0, unanswered = 0, beyond = 0, among = 0;
};

}  // namespace

Result<std::string> add_classes(const trace::Reader& trace, const AnnotationOf& annotation_of,
                                Measurements& out) {
  const auto scores = scores_in(trace);
  if (!scores) return std::string("no recorded output holds one score for each class");
  if (scores->classes > kMostClasses)
    return std::to_string(scores->classes) + " classes: a matrix of more than " +
           std::to_string(kMostClasses) + " is not written; 'edgeprobe report' shows the accuracy";
  Classification matrix;
  matrix.classes = scores->classes;
  matrix.confusion.assign(matrix.classes * matrix.classes, 0);
  Counts counts;
  Separation separation(matrix.classes, trace.frames().size());
  for (std::size_t i = 0; i < trace.frames().size(); ++i) {
    const auto annotation = annotation_of(trace.records()[i]);
    if (!annotation) continue;
    const std::vector<int> right = task::classes_of(*annotation);
    if (right.empty()) continue;
    EP_TRY(const auto value, trace.read(trace.frames()[i], scores->channel->id));
    if (!value) continue;
    EP_TRY(const auto values, to_float(*value));
    ++counts.labelled;
    const int best = task::top_1(values);
    const bool among = std::find(right.begin(), right.end(), best) != right.end();
    const int there = among ? best : right.front();
    if (there < 0 || static_cast<std::size_t>(there) >= matrix.classes) ++counts.beyond;
    else if (best < 0 || static_cast<std::size_t>(best) >= matrix.classes) ++counts.unanswered;
    else {
      matrix.confusion[static_cast<std::size_t>(there) * matrix.classes +
                       static_cast<std::size_t>(best)] += 1;
      matrix.total += 1;
      const bool is_among = task::is_among(values, kBest, *annotation);
      counts.among += is_among;
      separation.add(values, right, static_cast<std::size_t>(there), is_among);
    }
  }
  if (counts.labelled == 0) return std::string("no frame has a true class; --labels brings them");
  if (counts.beyond > 0)
    out.facts.emplace_back("frames whose true class the outputs do not have",
                           std::to_string(counts.beyond));
  if (counts.unanswered > 0)
    out.facts.emplace_back("frames without an answer, in no cell of the matrix",
                           std::to_string(counts.unanswered));
  if (matrix.total == 0) return std::string("no labelled frame has an answer among the classes");
  if (matrix.classes > kBest) matrix.top_5_count = static_cast<double>(counts.among);
  matrix.scores = std::move(separation).finish(out);
  out.classification = std::move(matrix);
  return std::string();
}

}  // namespace edgeprobe::measurements
