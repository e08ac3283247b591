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
  kNotYet,  ///< Needs all frames, and the recording goes on.
};
/// "passes", "fails", "cannot tell", "not yet".
const char* name(State state);

/// What one assertion says of a trace.
struct Finding {
  /// Where it stands in the file: "inputs.image.range", "assertions[0]"; parts of the recipe's:
  /// "recipe.channel_order".
  std::string id;
  State state = State::kPasses;
  std::optional<std::uint32_t> frame;     ///< The first, or the worst, that breaks it.
  std::string sample;                     ///< Of that frame; untrusted text.
  std::string value, bound;               ///< As they are shown; may be empty.
  std::uint64_t failing = 0, frames = 0;  ///< Frames that break it, of those that were looked at.
  std::string why;                        ///< What is wrong, or why nothing can be told.
  std::string cure;                       ///< What to do; empty where it passes.
  /// A figure of all frames together: what the first ones say of it is not its value.
  bool of_all_frames = false;
  /// A latency: kCannotTell is then the machine's matter, not the deployment's.
  bool of_time = false;
};

struct Report {
  std::vector<Finding> findings;  ///< In the order of the file.
  /// Of a recording that goes on only so many frames were judged; nothing: all of a whole one.
  std::optional<std::uint64_t> first_frames;
  std::size_t count(State state) const;
  /// Latencies among the findings in kCannotTell.
  std::size_t times_not_told() const;
  /// kFails where one fails; else kCannotTell where one that is not a latency has that state, or
  /// none passes.
  State state() const;
};

}  // namespace edgeprobe::contract
