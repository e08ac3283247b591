// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/case/study.h"
#include "diagnose/input/input_evidence.h"
#include "diagnose/input/search/no_picture.h"

/// One search in front of the model for each kind of input. The target's trace holds the model
/// input. All fail when a file or an engine does.
namespace edgeprobe::diagnose {

/// `empty`: the frames in which nothing of the input arrives; not all of them.
Result<InputEvidence> examine_picture(const Study& study, const NoPicture& empty,
                                      const Control& control);
/// Of sound and of readings, which may be pieces of a stream.
Result<InputEvidence> examine_series(const Study& study, const NoPicture& empty,
                                     const Control& control);

/// What stands for the search where inputs are compared as they are: equal inputs, or what would
/// decide.
InputEvidence examine_tensors(const Study& study);

}  // namespace edgeprobe::diagnose
