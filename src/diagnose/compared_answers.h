// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnose/case/study.h"
#include "diagnose/verdict/frames.h"

namespace edgeprobe::diagnose {

/// Frame by frame what both sides answer: classes, labels, or boxes with them. Nothing where they
/// answer in something else, or only one of them does. Fails when a trace does.
Result<std::optional<ComparedAnswers>> compared_answers(const Study& study);

/// How far each frame's model input lies from the reference's; of inputs that are equal or cannot
/// be compared, its outputs, which differ beyond `floor`. Empty where there are none either.
FrameDistances frame_distances(const Study& study, double floor);

}  // namespace edgeprobe::diagnose
