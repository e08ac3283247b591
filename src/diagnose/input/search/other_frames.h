// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnose/case/study.h"
#include "diagnose/input/extent.h"
#include "diagnose/input/input_evidence.h"

namespace edgeprobe::diagnose {

/// The cause "the app feeds the picture of another frame", or of two at once: every frame in which
/// the model input differs from the reference's is compared with the reference's inputs of the
/// other frames. Needs neither pictures nor a recipe. Nothing when fewer than half of the frames
/// that differ are so explained.
Result<std::optional<InputEvidence>> other_frames(const Study& study, const Control& control);

}  // namespace edgeprobe::diagnose
