// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace edgeprobe::diagnose {

/// Distance of one frame of the target from the reference's.
struct FrameDistance {
  std::uint32_t frame = 0;
  double distance = 0;  ///< Infinite if only one side has NaN or infinity.
  bool differs = false;
};

/// Unit of the distances. Model inputs: RMS difference in 255ths of the range of the reference's
/// inputs for pictures, in percent of it for all others. Outputs: Verdict::output_distance_kind.
enum class FrameUnit { kGrayLevels, kPercentOfRange, kOutputDistance };

/// All frames in both traces, in the target's order.
struct FrameDistances {
  FrameUnit unit = FrameUnit::kGrayLevels;
  std::vector<FrameDistance> frames;
};

/// A frame with different answers of the two sides. All texts are untrusted.
struct FlippedAnswer {
  std::uint32_t frame = 0;               ///< Number in the target's trace.
  std::string sample;                    ///< May be empty.
  std::string target, reference, truth;  ///< Answers as text; `truth` is empty if unknown.
  /// JSON objects as recorded by the apps; empty for classes read from outputs.
  std::string target_json, reference_json;
};

/// Number of cases in which the target answered `target` and the reference `reference`; the two may
/// be equal.
struct LabelPair {
  std::string target, reference;  ///< Untrusted; empty: this side has no box there.
  std::uint64_t count = 0;
};

/// Answers of both sides, counted by class: those recorded by the apps, else the best class of the
/// outputs.
struct ComparedAnswers {
  bool of_boxes = false;  ///< `labels` counts boxes, not frames.
  std::uint64_t frames = 0, flipped = 0;
  std::vector<FlippedAnswer> flips;  ///< In the order of frames; at most kMostFlips.
  std::vector<LabelPair> labels;     ///< Most frequent first.

  static constexpr std::size_t kMostFlips = 200;
};

}  // namespace edgeprobe::diagnose
