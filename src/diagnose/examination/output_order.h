// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/case/counterfactual.h"
#include "diagnose/case/study.h"
#include "diagnose/verdict/verdict.h"

namespace edgeprobe::diagnose {

/// Outputs that the target carries in each other's place.
struct OutputOrder {
  /// Kind "output_order"; confirmed when the exchange brings the outputs below the floor.
  Cause cause;
  std::optional<double> rest;  ///< Distance of the outputs with them exchanged.
};

/// Compares the traces once more with the swapped outputs exchanged. Nothing when none are swapped
/// by mistake.
Result<std::optional<OutputOrder>> examine_output_order(const Study& study, double floor,
                                                        const Control& control);

}  // namespace edgeprobe::diagnose
