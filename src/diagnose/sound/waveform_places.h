// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/sound/problem.h"

namespace edgeprobe::diagnose::sound {

/// Of a model that takes the waveform: front ends whose recording begins elsewhere, is read from
/// the middle of a ring buffer, or lacks samples. Pieces of the first recorded input are looked up
/// in the recording by correlation, so that gain and DC do not matter; empty where none is found.
std::vector<audio::FrontEnd> waveform_places(Problem& problem, const audio::FrontEnd& from,
                                             const audio::Clip& clip);

}  // namespace edgeprobe::diagnose::sound
