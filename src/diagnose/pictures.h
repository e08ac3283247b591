// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/input/input_evidence.h"
#include "diagnose/verdict/frames.h"

namespace edgeprobe::diagnose {

/// Pictures of model inputs for people, for the first few samples: the raw picture, the input of
/// the target's model, the input of the reference's, and the target's input after the fixes. All
/// use the value range of the reference's input, so a wrong range looks wrong.
Result<std::vector<Picture>> input_pictures(const Study& study, const InputEvidence& input,
                                            const std::optional<ComparedAnswers>& answers);

/// Without a recipe: the inputs that both traces hold, of a few frames, in the value range of all
/// the reference's inputs. Empty unless they are pictures.
Result<std::vector<Picture>> recorded_inputs(const Study& study);

/// The same samples with the five best classes of both sides.
Result<std::vector<ShownSample>> shown_samples(const Study& study);

}  // namespace edgeprobe::diagnose
