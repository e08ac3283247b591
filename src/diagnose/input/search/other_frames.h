// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnose/case/study.h"
#include "diagnose/input/extent.h"
#include "diagnose/input/input_evidence.h"

namespace edgeprobe::diagnose {

/// The cause "the app feeds the picture of another frame", or of two at once. Compares each frame
/// whose model input differs from the reference's with the reference's inputs of other frames;
/// needs neither pictures nor a recipe. Nothing if that explains fewer than half of the differing
/// frames.
Result<std::optional<InputEvidence>> other_frames(const Study& study, const Control& control);

}  // namespace edgeprobe::diagnose
