// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "layers/capture/capture.h"
#include "layers/capture/logits.h"
#include "layers/pairing/pairing.h"

namespace edgeprobe::layers {

/// How far each pair's tensors lie apart, as they were computed one after the other.
struct Accumulated {
  std::vector<Spread> pairs;     ///< As many as Pairing::ops.
  std::map<int, Spread> logits;  ///< By the reference's tensor.
  /// Of the model input; of the reference's conversion of it, so that it is small.
  Spread input;
};
Result<Accumulated> accumulate(const model::Graph& reference, const Pairing& pairing,
                               const std::vector<int>& logits, const Values& reference_values,
                               const Values& target_values, const Control& control);

/// gap_of() of all its logits; 0 when there are none.
double logit_nrmse_of(const Accumulated& accumulated);

/// nse of each pair over that of its worst parent plus `floor`. Parents are followed through
/// QUANTIZE, DEQUANTIZE and operators without a pair; the model input counts as one.
std::vector<double> error_gains(const model::Graph& reference, const Pairing& pairing,
                                const Accumulated& accumulated, double floor);

}  // namespace edgeprobe::layers
