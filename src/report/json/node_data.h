// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/outputs/agreement.h"
#include "diagnose/verdict/verdict.h"

/// Per-layer drift as node data for Model Explorer, which colours a graph's nodes by it.
namespace edgeprobe::report {

/// Drift of one tensor of the displayed model.
struct TensorDrift {
  std::string name;              ///< Name in the target's model: Model Explorer finds nodes by it.
  std::optional<double> nrmse;   ///< RMSE over range; empty if unknown.
  std::uint64_t non_finite = 0;  ///< Values that are NaN or infinite on one side only.
};
std::vector<TensorDrift> tensor_drifts(const compare::Agreement& agreement);
std::vector<TensorDrift> tensor_drifts(const diagnose::Verdict& verdict);

/// The JSON text. Its thresholds are absolute, so equal models have no coloured node. For a name
/// shared by several tensors, keeps the largest drift; skips tensors without a figure.
std::string node_data_text(const std::vector<TensorDrift>& drifts);

}  // namespace edgeprobe::report
