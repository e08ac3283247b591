// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/preprocessing/search/explanation.h"

namespace edgeprobe::diagnose {

/// One explanation for several frames.
struct Consensus {
  Explanation::Status status = Explanation::Status::kUndecidable;
  Hypothesis hypothesis;
  std::vector<Difference> differences, slight;  ///< Contributions pooled over the agreeing frames.
  /// RMS over frames; the residual over the agreeing ones when something was found, over all of
  /// them when it is partial.
  double residual_before = 0, residual = 0;
  std::vector<bool> agrees;  ///< One a frame.
  std::vector<preprocess::Resampling> same_kernels;
  std::vector<Orientation> same_orientations;
  std::vector<std::string> same_ranges;
  bool order_undecidable = false;  ///< On every frame.
};

/// Every frame's own answer is tried on all frames; the one that most of them bear out is taken,
/// the simpler one of equals.
Consensus agree(std::vector<Frame>& frames, const std::vector<Explanation>& explanations,
                const Reference& reference, const std::vector<Range>& ranges);

/// Whether `h` explains a frame; `residual` is set to what is left, in gray steps.
bool bears_out(Frame& frame, const Reference& reference, const Hypothesis& h, double& residual);

}  // namespace edgeprobe::diagnose
