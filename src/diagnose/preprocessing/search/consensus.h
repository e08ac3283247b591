// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/preprocessing/search/explanation.h"

namespace edgeprobe::diagnose {

/// One explanation for several frames.
struct Consensus {
  Explanation::Status status = Explanation::Status::kUndecidable;
  Hypothesis hypothesis;
  /// Contributions combined over the agreeing frames.
  std::vector<Difference> differences, slight;
  /// RMS over frames; `residual` is over the agreeing frames if something was found, over all if it
  /// is partial.
  double residual_before = 0, residual = 0;
  std::vector<bool> agrees;  ///< One for each frame.
  std::vector<preprocess::Resampling> same_kernels;
  std::vector<Orientation> same_orientations;
  std::vector<std::string> same_ranges;
  bool order_undecidable = false;  ///< True if undecidable on every frame.
};

/// Tries every frame's own answer on all frames and returns the one that fits most of them; among
/// equals, the simplest.
Consensus agree(std::vector<Frame>& frames, const std::vector<Explanation>& explanations,
                const Reference& reference, const std::vector<Range>& ranges);

/// Sets one range, geometry and channel order that fit most of the frames whose codes are cut off;
/// partial if there is none. `decided`: number of frames that are not undecidable.
void agree_on_range(Consensus& c, std::vector<Frame>& frames,
                    const std::vector<Explanation>& explanations, std::size_t decided,
                    const Reference& reference, const Hypothesis& own);

/// True if `h` explains a frame; sets `residual` in gray steps.
bool bears_out(Frame& frame, const Reference& reference, const Hypothesis& h, double& residual);

}  // namespace edgeprobe::diagnose
