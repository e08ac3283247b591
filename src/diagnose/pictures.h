// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/input/input_evidence.h"
#include "diagnose/verdict/frames.h"

namespace edgeprobe::diagnose {

/// Indices into Case::raw->samples of the samples to show: Case::pictures of them, evenly spread,
/// and up to as many again with a flipped answer. Ascending.
std::vector<std::size_t> shown_indices(const Study& study,
                                       const std::optional<ComparedAnswers>& answers);

/// Pictures of model inputs for people, for these samples: the raw picture, the input of the
/// target's model, the input of the reference's, and the target's input after the fixes. All use
/// the value range of the reference's input, so a wrong range looks wrong.
Result<std::vector<Picture>> input_pictures(const Study& study, const InputEvidence& input,
                                            const std::vector<std::size_t>& shown);

/// The same samples with the five best classes of both sides.
Result<std::vector<ShownSample>> shown_samples(const Study& study,
                                               const std::vector<std::size_t>& shown);

}  // namespace edgeprobe::diagnose
