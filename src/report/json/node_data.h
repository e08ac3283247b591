// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/outputs/agreement.h"
#include "diagnose/verdict/verdict.h"

/// Per-layer drift as node data of Model Explorer, which colours the nodes of a graph by it.
namespace edgeprobe::report {

/// Drift of one tensor of the drawn model.
struct TensorDrift {
  std::string name;              ///< In the target's model: Model Explorer finds nodes by it.
  std::optional<double> nrmse;   ///< RMSE over range; nothing if unknown.
  std::uint64_t non_finite = 0;  ///< Values that are NaN or infinite on one side only.
};
std::vector<TensorDrift> tensor_drifts(const compare::Agreement& agreement);
std::vector<TensorDrift> tensor_drifts(const diagnose::Verdict& verdict);

/// The JSON text. Its thresholds are absolute, so equal models have no coloured node. A name that
/// several tensors have keeps the largest drift; tensors without a figure are left out.
std::string node_data_text(const std::vector<TensorDrift>& drifts);

}  // namespace edgeprobe::report
