// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "diagnose/postprocessing/predictions.h"

namespace edgeprobe::diagnose::postprocessing {

/// Bits that speak for one change: what the recorded answers have, the recipe with it predicts, and
/// the recipe without it does not. Equal scores count once, in whichever frames; a score near 0, 1
/// or another value that activations saturate at counts little; free numbers are paid for.
double bits_for(Predictions& predictions, const Hypothesis& with_it, const Hypothesis& without_it,
                const Change& change, std::span<const std::size_t> frames);

/// Bits that one of `together` changes must have before it is confirmed, where so many were
/// proposed. More than any where its kind leaves no trace in what was recorded: labels alone tell
/// no value from a monotone function of it.
double bits_needed(const Predictions& predictions, const Change& change, std::size_t proposed,
                   std::size_t together);

}  // namespace edgeprobe::diagnose::postprocessing
