// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/preprocessing/search/search.h"

namespace edgeprobe::diagnose {

/// Looks for the window of the picture that the target shows, when no usual framing explains it: a
/// template search, then Gauss-Newton steps, then whole-pixel windows with every kernel. Best trial
/// first; empty when nothing like the target is found. The kernels are compared after `tone_step`.
std::vector<Trial> try_windows(Frame& frame, const Reference& reference,
                               const Interpretation& interpretation, Orientation orientation,
                               const ToneStep& tone_step);

}  // namespace edgeprobe::diagnose
