// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "diagnose/state/recording.h"

namespace edgeprobe::diagnose::state {

/// An app that runs a network with two states, in float32 as apps do. It shares nothing with the
/// search: faults are hooks that write into the app's own buffers.
struct App {
  std::vector<int> lengths{9, 7, 8};  ///< Of the sequences.
  int width = 12;
  Shape shape{2, 1, 6};
  unsigned seed = 3;
  float initial = 0;  ///< Of both states.

  using Buffer = std::vector<float>;
  struct Step {
    int number = 0, in_sequence = 0;
    bool begins = false;
    Buffer &h, &c;                            ///< About to be fed.
    const Buffer &h_out, &c_out, &y;          ///< What the step before gave.
    const std::vector<Buffer>&h_all, &c_all;  ///< What all steps before gave.
  };
  /// Changes what is about to be fed. Called in every step, behind the right copy.
  std::function<void(Step&)> fault;

  /// All steps with their beginnings.
  Recording record() const;
};

/// The same without what the app did not record.
Recording without(Recording recording, const std::vector<std::uint32_t>& frames);

}  // namespace edgeprobe::diagnose::state
