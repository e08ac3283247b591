// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "diagnose/preprocessing/model/input_diagnosis.h"

namespace edgeprobe::contract {

/// Whether recorded model inputs are the ones that a recipe makes of the recorded pictures or
/// recordings.
struct FrontReplay {
  enum class State {
    kSame,       ///< Equal, or as close as with another decoder for the same bytes.
    kDiffers,    ///< Not the same: `diagnosis` holds the difference, as far as known.
    kCannotTell  ///< `reason` states why, and what is needed.
  } state = State::kCannotTell;
  std::string reason;
  /// Number of frames replayed, and of those that differ by more than decoders do.
  std::uint64_t frames = 0, differing = 0;
  std::uint32_t worst_frame = 0;
  std::string worst_sample;
  /// RMS distance of the worst frame, in 255ths of the range of the recipe's values.
  double worst = 0;
  std::string distance;  ///< The same for display: "3.2 gray steps".
  std::optional<diagnose::InputDiagnosis> diagnosis;
};

/// Limits for frames to replay, evenly spread, and for those in which a difference is searched.
inline constexpr std::size_t kReplayedFrames = 100, kSearchedFrames = 5;

}  // namespace edgeprobe::contract
