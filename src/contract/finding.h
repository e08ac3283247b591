// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace edgeprobe::contract {

enum class State {
  kPasses,
  kFails,
  kCannotTell,
  kNotYet,  ///< Needs all frames, and the recording is in progress.
};
/// "passes", "fails", "cannot tell", "not yet".
const char* name(State state);

/// Result of one assertion on a trace.
struct Finding {
  /// Its place in the file: "inputs.image.range", "assertions[0]"; parts of the recipe:
  /// "recipe.channel_order".
  std::string id;
  State state = State::kPasses;
  std::optional<std::uint32_t> frame;  ///< The first or worst frame that violates it.
  std::string sample;                  ///< Sample of that frame; untrusted text.
  std::string value, bound;            ///< For display; may be empty.
  /// Number of frames that violate it, and of those examined.
  std::uint64_t failing = 0, frames = 0;
  std::string why;   ///< The failure, or the reason why it cannot be judged.
  std::string cure;  ///< The remedy; empty if it passes.
  /// A figure over all frames: the first ones do not determine it.
  bool of_all_frames = false;
  /// A latency: kCannotTell then depends on the machine, not on the deployment.
  bool of_time = false;
};

struct Report {
  std::vector<Finding> findings;  ///< In the file's order.
  /// Number of frames judged of a recording in progress; unset: the whole recording.
  std::optional<std::uint64_t> first_frames;
  std::size_t count(State state) const;
  /// Number of latencies in kCannotTell.
  std::size_t times_not_told() const;
  /// kFails if one fails; else kCannotTell if one other than a latency has that state, or none
  /// passes.
  State state() const;
};

}  // namespace edgeprobe::contract
