// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/sound/problem.h"

namespace edgeprobe::diagnose::sound {

/// For a model that takes the waveform: front ends whose recording begins elsewhere, is read from
/// the middle of a ring buffer, or lacks samples. Looks up pieces of the first recorded input in
/// the recording by correlation, so that gain and DC do not matter; empty if none is found.
std::vector<audio::FrontEnd> waveform_places(Problem& problem, const audio::FrontEnd& from,
                                             const audio::Clip& clip);

}  // namespace edgeprobe::diagnose::sound
