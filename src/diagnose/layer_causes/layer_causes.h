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

/// Causes inside the model from the layer analysis, without `restored`: faulty kernels, then other
/// findings. A finding is confirmed only if its repair restored the logits at least partly.
/// `severe`: the accuracy is significantly lower and nothing before the model explains it; then the
/// logit NRMSE may be arbitrarily small. `outputs_off`: the outputs are beyond their floor;
/// required for a logit NRMSE of real numbers that is below the limit for integers.
std::vector<Cause> model_causes(const Case& known, const layers::Analysis& analysis, bool severe,
                                bool outputs_off);

/// Converts a finding of the layer analysis into a cause. The status, which depends on other
/// causes, is not set.
Cause finding_cause(const Case& known, const layers::Analysis& analysis,
                    const layers::Finding& finding);

/// Error of the worst layer of a faulty kernel, relative to its output; infinite if it produces
/// NaN.
double loudness(const layers::Analysis& analysis, const layers::KernelFault& fault);

/// Describes a kernel that miscomputes: where, by how much, and the effect of its repair.
Cause kernel_cause(const Case& known, const layers::Analysis& analysis,
                   const layers::KernelFault& fault);

/// Adds the differing attributes of the target's operators and their correct values to a cause:
/// detail, evidence and code. `finding` has options; `where` names its first layer.
void say_options(const Case& known, const layers::Finding& finding, const std::string& where,
                 Cause& cause);

/// How an operator differs between the two files.
struct OperatorDifference {
  /// "is MaxPool in the target, AveragePool in the reference"; empty if the files show no
  /// difference.
  std::string text;
  std::vector<compare::AttributeDifference> attributes;
};

/// "the target computes Relu, BatchNormalization and the reference BatchNormalization, Relu".
std::string sequence_text(const Case& known, const layers::OtherSequence& sequence);

/// Another type, else other attributes, else other inputs. Needs both models; `row` belongs to the
/// analysis and has a layer on both sides.
OperatorDifference operator_difference(const Case& known, const layers::Analysis& analysis,
                                       const layers::Row& row);

// Each function writes a layer's fault into `cause`: one clause, with its numbers as evidence.
// `where` names the layer.

/// Describes the codes of an activation.
void say_activation(const Case& known, const layers::Finding& finding, const std::string& where,
                    Cause& cause);
/// Describes weights or biases that differ from the reference's.
void say_weights(const layers::Row& row, const std::string& where, Cause& cause);
/// Describes the constants of an operator without weights.
void say_constant(const layers::OtherConstant& constant, const std::string& where, Cause& cause);
/// Describes the biases of a group of layers, with their fix.
void say_biases(const layers::Analysis& analysis, const layers::Finding& finding,
                const std::string& where, Cause& cause);
/// Describes the ranges of many layers, in terms of calibration.
void say_calibration(const layers::Analysis& analysis, const layers::Finding& finding,
                     const std::string& where, Cause& cause);

/// Fraction of clipped codes above which a range is too narrow.
inline constexpr double kClips = 0.1;
/// A quantisation step is too wide if it is this many times wider than its values need.
inline constexpr double kWide = 3;

/// Fraction (0 to 1) of the square of `all` that vanishes if a distance falls from `before` to
/// `after`.
double share_of(double before, double after, double all);

/// "layer 3", "layers 3, 5 and 12 more".
std::string layers_text(const std::vector<int>& layers);

}  // namespace edgeprobe::diagnose
