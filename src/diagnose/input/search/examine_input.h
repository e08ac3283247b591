// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/case/study.h"
#include "diagnose/input/input_evidence.h"

namespace edgeprobe::diagnose {

/// The search in front of the model: what differs between the two inputs, and in which frames.
/// Fails when a file or an engine does.
Result<InputEvidence> examine_input(const Study& study, const Control& control);

}  // namespace edgeprobe::diagnose
