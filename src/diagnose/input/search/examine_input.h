// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/case/study.h"
#include "diagnose/input/input_evidence.h"

namespace edgeprobe::diagnose {

/// Searches before the model: how the two inputs differ, and in which frames. Fails if a file or an
/// engine fails.
Result<InputEvidence> examine_input(const Study& study, const Control& control);

}  // namespace edgeprobe::diagnose
