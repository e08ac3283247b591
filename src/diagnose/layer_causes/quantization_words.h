// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "diagnose/case.h"
#include "diagnose/verdict/verdict.h"
#include "layers/analysis.h"

namespace edgeprobe::diagnose {

// Each writes what is wrong in a layer into `cause`: one clause, and its numbers as evidence.
// `where` names the layer.

/// The codes of an activation.
void say_activation(const Case& known, const layers::Finding& finding, const std::string& where,
                    Cause& cause);
/// Weights or biases that are not the reference's.
void say_weights(const layers::Row& row, const std::string& where, Cause& cause);
/// The biases of a group of layers, and what mends them.
void say_biases(const layers::Analysis& analysis, const layers::Finding& finding,
                const std::string& where, Cause& cause);
/// Ranges of many layers, in the words of who calibrated them.
void say_calibration(const layers::Analysis& analysis, const layers::Finding& finding,
                     const std::string& where, Cause& cause);

}  // namespace edgeprobe::diagnose
