// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnose/detectors/detector.h"

namespace edgeprobe::diagnose {

/// Masks or key points that the app recorded, against those that the reference's recipe makes of
/// the target's own outputs; as find_answers, which calls it. Nothing where the reference's recipe
/// makes neither.
Result<std::optional<Findings>> find_places(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
