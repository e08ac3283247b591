// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include "task/answers/answer_task.h"
#include "task/answers/means.h"
#include "task/metrics/retrieval.h"

namespace edgeprobe::task {
namespace {

class Cosines final : public Statistic {
 public:
  bool add(const trace::Answer* answer, const Annotation& truth) override {
    const std::vector<float>& wanted = std::get<TrueVector>(truth).values;
    scores_.emplace_back(-1);
    if (!answer || !answer->vector) return true;
    if (answer->vector->size() != wanted.size()) {
      problem("an answer's vector has " + std::to_string(answer->vector->size()) +
              " numbers, its annotation " + std::to_string(wanted.size()) +
              ": it counts as opposite");
      return false;
    }
    const auto similarity = cosine(*answer->vector, wanted);
    if (!similarity)
      problem("vectors are zero or hold NaN: they have no direction and count as opposite");
    scores_.back() = similarity.value_or(-1);
    return similarity.has_value();
  }
  std::optional<double> value(Weights weights) const override {
    return mean_score(scores_, weights);
  }
  Details details(Weights) const override { return {}; }
  double cost() const override { return static_cast<double>(scores_.size()); }

 private:
  std::vector<std::optional<double>> scores_;
};

class Retrieval final : public Statistic {
 public:
  bool add(const trace::Answer* answer, const Annotation& truth) override {
    identities_.push_back(std::get<Identity>(truth).name);
    vectors_.push_back(answer && answer->vector ? *answer->vector : std::vector<float>{});
    std::vector<float>& vector = vectors_.back();
    if (vector.empty()) return true;
    if (length_ == 0) length_ = vector.size();
    if (vector.size() == length_) return true;
    problem("answers' vectors have " + std::to_string(length_) + " and " +
            std::to_string(vector.size()) + " numbers; the other ones count as not given");
    vector.clear();
    return false;
  }

  /// The embeddings of each side are searched separately: its frames are its own gallery.
  void finish() override {
    const std::size_t sides = paired_ ? 2 : 1, frames = vectors_.size() / sides;
    for (std::size_t side = 0; side < sides; ++side) {
      std::vector<std::span<const float>> vectors;
      const std::vector<float> none(length_, 0);
      for (std::size_t i = side * frames; i < (side + 1) * frames; ++i)
        vectors.emplace_back(vectors_[i].empty() ? none : vectors_[i]);
      const auto found = retrieve(vectors, std::span(identities_).subspan(side * frames, frames));
      found_.insert(found_.end(), found.begin(), found.end());
    }
    for (const auto& one : found_) {
      precisions_.push_back(one ? std::optional(one->average_precision) : std::nullopt);
      first_.push_back(one ? std::optional(one->first ? 1.0 : 0.0) : std::nullopt);
      five_.push_back(one ? std::optional(one->among_five ? 1.0 : 0.0) : std::nullopt);
    }
    vectors_.clear();
  }
  void begin_second_side() override { paired_ = true; }

  std::optional<double> value(Weights weights) const override {
    return mean_score(precisions_, weights);
  }
  Details details(Weights weights) const override {
    Details details;
    details.further = {{"recall_at_1", mean_score(first_, weights)},
                       {"recall_at_5", mean_score(five_, weights)}};
    std::map<std::string, std::pair<double, std::uint64_t>> by_identity;
    for (std::size_t i = 0; i < precisions_.size(); ++i)
      if (precisions_[i]) {
        auto& [sum, count] = by_identity[identities_[i]];
        sum += *precisions_[i] * weights[i];
        count += weights[i];
      }
    for (const auto& [identity, one] : by_identity)
      if (one.second > 0)
        details.classes.push_back(
            {identity, one.second, one.first / static_cast<double>(one.second)});
    return details;
  }
  double cost() const override { return static_cast<double>(precisions_.size()); }

 private:
  std::vector<std::string> identities_;
  std::vector<std::vector<float>> vectors_;
  std::size_t length_ = 0;
  bool paired_ = false;
  std::vector<std::optional<Retrieved>> found_;
  std::vector<std::optional<double>> precisions_, first_, five_;
};

bool has_vector(const trace::Answer& answer) { return answer.vector.has_value(); }

std::optional<double> same_direction(const trace::Answer& a, const trace::Answer& b, const Terms&) {
  if (a.vector->size() != b.vector->size()) return 0;
  const bool zero = std::all_of(a.vector->begin(), a.vector->end(), [](float v) { return v == 0; });
  if (zero && *a.vector == *b.vector) return 1;
  return std::max(0.0, cosine(*a.vector, *b.vector).value_or(0));
}

}  // namespace

const AnswerTask kEmbedding{
    "embedding",
    "mean_cosine",
    "mean cosine",
    true,
    "frames",
    0.02,
    [](const Annotation& truth) { return std::holds_alternative<TrueVector>(truth); },
    has_vector,
    [](const Terms&) -> std::unique_ptr<Statistic> { return std::make_unique<Cosines>(); },
    same_direction};

const AnswerTask kRetrieval{
    "retrieval",
    "mean_average_precision",
    "mAP of retrieval",
    true,
    "frames",
    0.02,
    [](const Annotation& truth) { return std::holds_alternative<Identity>(truth); },
    has_vector,
    [](const Terms&) -> std::unique_ptr<Statistic> { return std::make_unique<Retrieval>(); },
    same_direction};

}  // namespace edgeprobe::task
