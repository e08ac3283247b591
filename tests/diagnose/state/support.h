// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "diagnose/state/recording.h"

namespace edgeprobe::diagnose::state {

/// An app that runs a network with two states, in float32 as apps do. It shares no code with the
/// search: faults are hooks that write into the app's own buffers.
struct App {
  std::vector<int> lengths{9, 7, 8};  ///< Lengths of the sequences.
  int width = 12;
  Shape shape{2, 1, 6};
  unsigned seed = 3;
  float initial = 0;  ///< Initial value of both states.

  using Buffer = std::vector<float>;
  struct Step {
    int number = 0, in_sequence = 0;
    bool begins = false;
    Buffer &h, &c;                            ///< The states that the next step receives.
    const Buffer &h_out, &c_out, &y;          ///< Results of the previous step.
    const std::vector<Buffer>&h_all, &c_all;  ///< Results of all previous steps.
  };
  /// Changes the next inputs. Called in every step, after the correct copy.
  std::function<void(Step&)> fault;

  /// All steps, and where sequences begin.
  Recording record() const;
};

/// The same without the frames that the app did not record.
Recording without(Recording recording, const std::vector<std::uint32_t>& frames);

}  // namespace edgeprobe::diagnose::state
