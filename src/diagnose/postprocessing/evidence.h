// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "diagnose/postprocessing/predictions.h"

namespace edgeprobe::diagnose::postprocessing {

/// Evidence for one change, in bits: observations that the recipe predicts with it and not without
/// it. Equal scores count once across frames. A score near 0, 1 or another saturation value counts
/// little. Free parameters cost bits.
double bits_for(Predictions& predictions, const Hypothesis& with_it, const Hypothesis& without_it,
                const Change& change, std::span<const std::size_t> frames);

/// Bits required to confirm one of `together` changes out of `proposed` ones. Infinite if this kind
/// of change leaves no trace in the recording: labels without scores cannot distinguish a value
/// from a monotone function of it.
double bits_needed(const Predictions& predictions, const Change& change, std::size_t proposed,
                   std::size_t together);

}  // namespace edgeprobe::diagnose::postprocessing
