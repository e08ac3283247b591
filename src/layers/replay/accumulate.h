// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "layers/capture/capture.h"
#include "layers/capture/logits.h"
#include "layers/pairing/pairing.h"

namespace edgeprobe::layers {

/// Distances of each pair's tensors, computed one after another in a whole run.
struct Accumulated {
  std::vector<Spread> pairs;     ///< Same length as Pairing::ops.
  std::map<int, Spread> logits;  ///< Indexed by the reference's tensor.
  /// For the model input: distance from the reference's conversion of the same input, which is
  /// therefore small.
  Spread input;
};
Result<Accumulated> accumulate(const model::Graph& reference, const Pairing& pairing,
                               const std::vector<int>& logits, const Values& reference_values,
                               const Values& target_values, const Control& control);

/// Logit NRMSE over all of its logits; 0 if there are none.
double logit_nrmse_of(const Accumulated& accumulated);

/// nse of each pair divided by that of its worst parent plus `floor`. Parents are found through
/// QUANTIZE, DEQUANTIZE and operators without a pair; the model input is a parent, too.
std::vector<double> error_gains(const model::Graph& reference, const Pairing& pairing,
                                const Accumulated& accumulated, double floor);

}  // namespace edgeprobe::layers
