// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/outputs/agreement.h"
#include "task/tasks.h"

namespace edgeprobe::compare {

/// Sums over one output in one frame.
struct Squares {
  double difference = 0, reference = 0;
};

/// Relative L2 distance of each frame, averaged over its outputs; `squares` holds `outputs` entries
/// per frame. The scale of a frame is at least the reference's RMS over all frames, since some
/// frames are nearly zero.
std::vector<double> relative_distances(const std::vector<Squares>& squares, std::size_t outputs);

/// Accumulates the answers of two runs, frame by frame: task scores, and distances of outputs.
/// Internal to compare_traces().
class Answers {
 public:
  explicit Answers(std::size_t top_k) : top_k_(top_k) {}

  /// Sets the outputs that both sides have, in the order of add(), and selects their task.
  void choose(const std::vector<TensorSpec>& outputs);
  void begin(const FrameAgreement& frame);
  /// Adds output `index` of the frame: both tensors and the sums of their pairs.
  void add(std::size_t index, const TensorView& reference, const TensorView& target,
           const Moments& pair);
  /// Marks an output of the frame with different shapes.
  void add_unlike() { unlike_ = true; }
  void end(std::vector<FrameAgreement>& frames);
  /// Stores fractions, intervals and the mean distance in the result.
  void finish(Agreement& agreement);

 private:
  bool is_read(std::size_t index) const;
  void add_answers();

  std::size_t top_k_, outputs_ = 0, frames_ = 0;  ///< `frames_` counts complete frames.
  std::optional<task::Reading> reading_;
  FrameAgreement frame_;
  // State of the current frame, over its outputs.
  std::size_t seen_ = 0;
  bool finite_ = true, unlike_ = false;
  double variation_ = 0;
  /// Values of the outputs; empty for those the task does not read.
  task::Outputs reference_, target_;
  // Over all frames. Keeps both distances until the last frame has shown which one applies, and how
  // large outputs are.
  bool all_probabilities_ = true, read_probabilities_ = true;
  std::vector<float> variations_;
  std::vector<Squares> squares_;  ///< One per output of each complete frame.
  std::size_t unlike_frames_ = 0;
  TaskAgreement task_;
  std::vector<double> agreements_;       ///< One per frame that the reference answered.
  std::vector<task::ScorePair> scores_;  ///< One per frame that also has an annotation.
};

}  // namespace edgeprobe::compare
