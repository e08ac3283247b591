// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/outputs/agreement.h"
#include "task/tasks.h"

namespace edgeprobe::compare {

/// Sums over one output of one frame.
struct Squares {
  double difference = 0, reference = 0;
};

/// Relative L2 distance of each frame, mean over its outputs; `squares` holds `outputs` entries a
/// frame. A frame in which the reference answers nearly zero has no scale of its own: no frame is
/// measured by less than the reference's RMS over all frames.
std::vector<double> relative_distances(const std::vector<Squares>& squares, std::size_t outputs);

/// Adds up what two runs answered, frame by frame: scores of a task, distances of outputs. Internal
/// to compare_traces().
class Answers {
 public:
  explicit Answers(std::size_t top_k) : top_k_(top_k) {}

  /// The outputs that both sides have, in the order of add(); picks the task that they fit.
  void choose(const std::vector<TensorSpec>& outputs);
  void begin(const FrameAgreement& frame);
  /// Output `index` of the frame: both tensors and the sums of their pairs.
  void add(std::size_t index, const TensorView& reference, const TensorView& target,
           const Moments& pair);
  /// An output of the frame that has another shape on both sides.
  void add_unlike() { unlike_ = true; }
  void end(std::vector<FrameAgreement>& frames);
  /// Shares, intervals and the mean distance, into the result.
  void finish(Agreement& agreement);

 private:
  bool is_read(std::size_t index) const;
  void add_answers();

  std::size_t top_k_, outputs_ = 0, frames_ = 0;  ///< Frames that are whole.
  std::optional<task::Reading> reading_;
  FrameAgreement frame_;
  // Of the frame under way, over its outputs.
  std::size_t seen_ = 0;
  bool finite_ = true, unlike_ = false;
  double variation_ = 0;
  task::Outputs reference_, target_;  ///< Values of the outputs; empty where the task reads none.
  // Of all frames. Both distances are kept until the last frame has shown which one holds, and how
  // large outputs are.
  bool all_probabilities_ = true, read_probabilities_ = true;
  std::vector<float> variations_;
  std::vector<Squares> squares_;  ///< One an output of each whole frame.
  std::size_t unlike_frames_ = 0;
  TaskAgreement task_;
  std::vector<double> agreements_;       ///< Of frames that the reference answered.
  std::vector<task::ScorePair> scores_;  ///< Of those that have an annotation, too.
};

}  // namespace edgeprobe::compare
