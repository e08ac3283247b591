// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/case/counterfactual.h"
#include "diagnose/case/study.h"
#include "diagnose/verdict/verdict.h"

namespace edgeprobe::diagnose {

/// Outputs that are exchanged in the target.
struct OutputOrder {
  /// Kind "output_order"; confirmed if swapping them back brings the outputs below the floor.
  Cause cause;
  std::optional<double> rest;  ///< Distance of the outputs after swapping them back.
};

/// Compares the traces again with the swapped outputs put right. Nothing if none are swapped by
/// mistake.
Result<std::optional<OutputOrder>> examine_output_order(const Study& study, double floor,
                                                        const Control& control);

}  // namespace edgeprobe::diagnose
