// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "compare/align/attribute_differences.h"
#include "diagnose/case.h"
#include "layers/analysis.h"

namespace edgeprobe::diagnose {

/// What the two files say of an operator, where they differ.
struct OperatorDifference {
  /// "is MaxPool in the target, AveragePool in the reference"; empty when the files show nothing.
  std::string text;
  std::vector<compare::AttributeDifference> attributes;
};

/// Another type, else other attributes, else other inputs. Both models have to be at hand; `row` is
/// one of the analysis, with a layer on both sides.
OperatorDifference operator_difference(const Case& known, const layers::Analysis& analysis,
                                       const layers::Row& row);

}  // namespace edgeprobe::diagnose
