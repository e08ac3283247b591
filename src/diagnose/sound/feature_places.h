// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/sound/problem.h"

namespace edgeprobe::diagnose::sound {

/// For a model that takes features: front ends whose recording begins elsewhere, is read from the
/// middle of a ring buffer, or lacks samples. Looks up each recorded frame among frames at every
/// sixteenth of a hop, scaled per coefficient so that gain and logarithm do not matter; then
/// refines to single samples by the fit. Empty if nothing is found.
std::vector<audio::FrontEnd> feature_places(Problem& problem, const audio::FrontEnd& from,
                                            const audio::Clip& clip);

}  // namespace edgeprobe::diagnose::sound
