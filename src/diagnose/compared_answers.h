// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnose/case/study.h"
#include "diagnose/verdict/frames.h"

namespace edgeprobe::diagnose {

/// The answers of both sides frame by frame: classes, labels, or labelled boxes. Nothing if they
/// are of another kind, or only one side has any. Fails if a trace cannot be read.
Result<std::optional<ComparedAnswers>> compared_answers(const Study& study);

/// For each frame, the distance of its model input from the reference's. If the inputs are equal or
/// cannot be compared, the distance of its outputs instead, which differ if it exceeds `floor`.
/// Empty if neither was compared.
FrameDistances frame_distances(const Study& study, double floor);

}  // namespace edgeprobe::diagnose
