// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/input/input_evidence.h"

namespace edgeprobe::diagnose {

/// Model inputs as a person may look at them, for the first few samples: the raw picture, what the
/// target's model saw, what the reference's sees, and the target's input after the fixes. Values
/// are shown in the range of the reference's input, so a wrong range looks wrong.
Result<std::vector<Picture>> input_pictures(const Study& study, const InputEvidence& input);

/// The same samples with the five best classes on both sides.
Result<std::vector<ShownSample>> shown_samples(const Study& study);

}  // namespace edgeprobe::diagnose
