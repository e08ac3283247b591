// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/detectors/detector.h"

namespace edgeprobe::diagnose {

/// Inputs that differ from the reference's, each by its name: exchanged, scaled, constant, not
/// finite, or otherwise. Confirmed where the reference, fed with that one as the app feeds it,
/// moves away from its own answers by more than the floor.
Result<Findings> find_tensor_inputs(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
