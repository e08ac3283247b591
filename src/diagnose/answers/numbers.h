// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnose/detectors/detector.h"

namespace edgeprobe::diagnose {

/// Vectors or anomaly scores that the app recorded, against those that the reference's recipe makes
/// of the target's own inputs and outputs; as find_answers, which calls it. Nothing when the
/// recipe makes neither.
Result<std::optional<Findings>> find_numbers(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
