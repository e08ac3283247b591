// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/case/study.h"
#include "diagnose/input/input_evidence.h"
#include "diagnose/input/search/no_picture.h"

/// One search before the model for each kind of input. The target's trace holds the model input.
/// All fail if a file or an engine fails.
namespace edgeprobe::diagnose {

/// `empty`: the frames without a picture; never all of them.
Result<InputEvidence> examine_picture(const Study& study, const NoPicture& empty,
                                      const Control& control);
/// For sound and readings, which may be pieces of a stream.
Result<InputEvidence> examine_series(const Study& study, const NoPicture& empty,
                                     const Control& control);

/// Replaces the search if inputs are compared directly: reports equal inputs, or a hint.
InputEvidence examine_tensors(const Study& study);

}  // namespace edgeprobe::diagnose
