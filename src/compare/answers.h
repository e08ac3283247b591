#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/agreement.h"

namespace edgeprobe::compare {

/// Adds up what two runs answered, frame by frame: classes, distances of outputs. Internal to compare_traces().
class Answers {
 public:
  explicit Answers(std::size_t top_k) : top_k_(top_k) {}

  /// The outputs that both sides have, in the order of add(); picks the one with class scores.
  void choose(const std::vector<const TensorSpec*>& outputs);
  void begin(const FrameAgreement& frame);
  /// Output `index` of the frame: both tensors and the sums of their pairs.
  void add(std::size_t index, const TensorView& reference, const TensorView& target, const Moments& pair);
  void end(std::vector<FrameAgreement>& frames);
  /// Shares, intervals and the mean distance, into the result.
  void finish(Agreement& agreement);

 private:
  void add_scores(const std::vector<float>& reference, const std::vector<float>& target);

  std::size_t top_k_, outputs_ = 0;
  std::optional<std::size_t> scores_;
  FrameAgreement frame_;
  // Of the frame under way, over its outputs.
  std::size_t seen_ = 0;
  bool finite_ = true;
  double variation_ = 0, relative_ = 0;
  // Of all frames. Both distances are kept until the last frame has shown which one holds.
  bool all_probabilities_ = true;
  std::vector<float> variations_;
  ClassAgreement classes_;
  std::vector<double> differences_;  ///< Of labelled frames: target right minus reference right.
};

}  // namespace edgeprobe::compare
