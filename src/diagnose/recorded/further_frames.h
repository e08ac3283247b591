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

/// A frame of the trace that a search behind the model has not seen, and what a recipe makes its
/// answer of.
struct FurtherFrame {
  std::uint32_t number = 0;
  std::string sample;  ///< Untrusted; may be empty.
  std::vector<Tensor> inputs, outputs;
  std::optional<postprocess::detection::Size> picture;  ///< As the recipe gets it.
  std::optional<trace::Answer> answer;                  ///< That the app recorded.
};

/// Visits frames that are not among `seen` and whose outputs are recorded: few, evenly spread.
/// Stops when `visit` returns true. Skips unreadable frames. kInterrupted when the user stopped it.
Status visit_further_frames(const Case& known, const std::set<std::uint32_t>& seen,
                            const Control& control,
                            const std::function<bool(FurtherFrame&)>& visit);

}  // namespace edgeprobe::diagnose
