// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "diagnose/preprocessing/model/input_diagnosis.h"

namespace edgeprobe::contract {

/// Whether recorded model inputs are what a recipe makes of the recorded pictures or recordings.
struct FrontReplay {
  enum class State {
    kSame,       ///< Equal, or as near as another decoder of the same bytes.
    kDiffers,    ///< They are not: `diagnosis` says what differs, as far as that is known.
    kCannotTell  ///< `reason` says why, and what would tell.
  } state = State::kCannotTell;
  std::string reason;
  std::uint64_t frames = 0, differing = 0;  ///< Replayed; of these, beyond what a decoder does.
  std::uint32_t worst_frame = 0;
  std::string worst_sample;
  double worst = 0;  ///< RMS distance of that frame, in 255ths of the range of the recipe's values.
  std::string distance;  ///< The same as it is shown: "3.2 gray steps".
  std::optional<diagnose::InputDiagnosis> diagnosis;
};

/// Frames that are replayed, evenly spread, and those that a difference is searched in.
inline constexpr std::size_t kReplayedFrames = 100, kSearchedFrames = 5;

}  // namespace edgeprobe::contract
