// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "compare/align/attribute_differences.h"
#include "diagnose/case/case.h"
#include "diagnose/verdict/verdict.h"
#include "layers/analysis.h"
#include "layers/search/finding.h"

namespace edgeprobe::diagnose {

/// Causes inside the model as the analysis found them, without `restored`: faulty kernels, then the
/// other findings. `severe`: significantly less accurate with nothing in front of the model to
/// explain it; then a finding is confirmed however small the logit NRMSE on these frames.
/// `outputs_off`: the outputs lie beyond their floor, which a logit NRMSE of real numbers has to
/// be seen in before it passes that of integers. A finding
/// is confirmed only when its repair brought the logits back, at least in part.
std::vector<Cause> model_causes(const Case& known, const layers::Analysis& analysis, bool severe,
                                bool outputs_off);

/// A finding of the layers' analysis as a cause, without a status: that depends on the others.
Cause finding_cause(const Case& known, const layers::Analysis& analysis,
                    const layers::Finding& finding);

/// How far the worst layer of a faulty kernel is off, relative to its output; infinite where it
/// makes NaN.
double loudness(const layers::Analysis& analysis, const layers::KernelFault& fault);

/// A kernel that miscomputes: where, by how much, and what its repair takes away.
Cause kernel_cause(const Case& known, const layers::Analysis& analysis,
                   const layers::KernelFault& fault);

/// Says of a cause which attributes the target's operators have otherwise, and what to set them to:
/// detail, evidence and code. `finding` has options; `where` names its first layer.
void say_options(const Case& known, const layers::Finding& finding, const std::string& where,
                 Cause& cause);

/// What the two files say of an operator, where they differ.
struct OperatorDifference {
  /// "is MaxPool in the target, AveragePool in the reference"; empty when the files show nothing.
  std::string text;
  std::vector<compare::AttributeDifference> attributes;
};

/// "the target computes Relu, BatchNormalization and the reference BatchNormalization, Relu".
std::string sequence_text(const Case& known, const layers::OtherSequence& sequence);

/// Another type, else other attributes, else other inputs. Both models have to be at hand; `row` is
/// one of the analysis, with a layer on both sides.
OperatorDifference operator_difference(const Case& known, const layers::Analysis& analysis,
                                       const layers::Row& row);

// Each writes what is wrong in a layer into `cause`: one clause, and its numbers as evidence.
// `where` names the layer.

/// The codes of an activation.
void say_activation(const Case& known, const layers::Finding& finding, const std::string& where,
                    Cause& cause);
/// Weights or biases that are not the reference's.
void say_weights(const layers::Row& row, const std::string& where, Cause& cause);
/// Of an operator without weights.
void say_constant(const layers::OtherConstant& constant, const std::string& where, Cause& cause);
/// The biases of a group of layers, and what mends them.
void say_biases(const layers::Analysis& analysis, const layers::Finding& finding,
                const std::string& where, Cause& cause);
/// Ranges of many layers, in the words of who calibrated them.
void say_calibration(const layers::Analysis& analysis, const layers::Finding& finding,
                     const std::string& where, Cause& cause);

/// Codes that are cut off, as a part of all, from which a range is too narrow.
inline constexpr double kClips = 0.1;
/// Times that a quantisation step is wider than its values need, from which it is too wide.
inline constexpr double kWide = 3;

/// Part of `all` squared that goes when a distance falls from `before` to `after`: 0 to 1.
double share_of(double before, double after, double all);

/// "layer 3", "layers 3, 5 and 12 more".
std::string layers_text(const std::vector<int>& layers);

}  // namespace edgeprobe::diagnose
