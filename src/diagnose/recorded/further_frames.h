// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/control.h"
#include "diagnose/case/case.h"
#include "postprocess/detection/coordinates.h"
#include "trace/answer.h"

namespace edgeprobe::diagnose {

/// A frame of the trace that a post-processing search has not used, with everything a recipe needs
/// to make its answer.
struct FurtherFrame {
  std::uint32_t number = 0;
  std::string sample;  ///< Untrusted text; may be empty.
  std::vector<Tensor> inputs, outputs;
  /// Size of the picture that the recipe gets.
  std::optional<postprocess::detection::Size> picture;
  std::optional<trace::Answer> answer;  ///< The app's recorded answer.
};

/// Visits some frames that are not in `seen` and have recorded outputs, evenly spread. Stops when
/// `visit` returns true. Skips unreadable frames. kInterrupted if the user stopped it.
Status visit_further_frames(const Case& known, const std::set<std::uint32_t>& seen,
                            const Control& control,
                            const std::function<bool(FurtherFrame&)>& visit);

}  // namespace edgeprobe::diagnose
