// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace edgeprobe::diagnose {

/// How far one frame of the target lies from the reference's.
struct FrameDistance {
  std::uint32_t frame = 0;
  double distance = 0;  ///< Infinite where one side has NaN or infinity and the other has not.
  bool differs = false;
};

/// All frames that both sides have, in the target's order.
struct FrameDistances {
  bool of_input = true;  ///< Else of the outputs, as Verdict::output_distance_kind says.
  std::vector<FrameDistance> frames;
};

/// A frame to which the sides answer differently. All texts are untrusted.
struct FlippedAnswer {
  std::uint32_t frame = 0;               ///< Of the target.
  std::string sample;                    ///< May be empty.
  std::string target, reference, truth;  ///< In words; the truth is empty where it is not known.
  /// As the apps recorded them: JSON objects. Empty of classes that are read from outputs.
  std::string target_json, reference_json;
};

/// How often the target said one and the reference the other; both may be the same.
struct LabelPair {
  std::string target, reference;  ///< Untrusted text; empty: the side has no box there.
  std::uint64_t count = 0;
};

/// The answers of both sides, class by class: what the apps recorded, else the best class of the
/// outputs.
struct ComparedAnswers {
  bool of_boxes = false;  ///< `labels` counts boxes, not frames.
  std::uint64_t frames = 0, flipped = 0;
  std::vector<FlippedAnswer> flips;  ///< In order; at most kMostFlips.
  std::vector<LabelPair> labels;     ///< The most frequent first.

  static constexpr std::size_t kMostFlips = 200;
};

}  // namespace edgeprobe::diagnose
