// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnose/case/study.h"
#include "diagnose/verdict/frames.h"

namespace edgeprobe::diagnose {

/// The answers of both sides frame by frame: classes, labels, or labelled boxes. Nothing if they
/// are of another kind, or only one side has any. Fails if a trace cannot be read.
Result<std::optional<ComparedAnswers>> compared_answers(const Study& study);

/// Distance of each frame's model input from the reference's. If these are equal or cannot be
/// compared: of its outputs, which differ if they exceed `floor`. Empty if neither was compared.
FrameDistances frame_distances(const Study& study, double floor);

}  // namespace edgeprobe::diagnose
