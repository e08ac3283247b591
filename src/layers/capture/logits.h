// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "layers/pairing/pairing.h"
#include "layers/pairing/values.h"

namespace edgeprobe::layers {

/// Limits of the logit NRMSE for a pair of models.
struct GapLimits {
  double quiet = 0;   ///< Up to this value nothing is searched.
  double severe = 0;  ///< Above this value the model fails.
};
/// If one side computes in integers, 21 runs of 8 healthy pairs are between .05 and .17, and
/// anything that costs answers is above .25. Two sides in real numbers differ only by rounding, at
/// most 1e-4; .02 is the floor of their outputs (compare::output_floor()).
inline constexpr GapLimits kIntegerLimits{0.05, 0.25}, kRealLimits{0.005, 0.02};

/// The tensors on which two runs are judged: the input of the last SOFTMAX or LOGISTIC of each
/// numeric output, else the output itself. Probabilities hide earlier errors.
std::vector<int> logits_of(const model::Graph& graph);
/// The numeric outputs themselves, before conversions.
std::vector<int> answers_of(const model::Graph& graph);

/// Sums for a distance in units of the reference's standard deviation, over frames and elements.
class Spread {
 public:
  void add(const std::vector<float>& reference, const std::vector<float>& other);
  std::uint64_t elements() const { return n_; }
  double mean_squared() const { return n_ ? squared_ / static_cast<double>(n_) : 0; }
  double variance() const;  ///< For the reference.
  double mean_square() const { return n_ ? norm_ / static_cast<double>(n_) : 0; }
  double low() const { return low_; }  ///< For the reference.
  double high() const { return high_; }
  /// MSE / variance; 0 if equal, a large number if the reference is constant and the other is not.
  /// `least_spread`: lower limit of the standard deviation, as a fraction of the reference's RMS.
  double nse(double least_spread = 0) const;

 private:
  std::uint64_t n_ = 0;
  double squared_ = 0, sum_ = 0, norm_ = 0, low_ = 0, high_ = 0;
};

/// Root of the mean nse over the tensors: distance of `other` from the reference on its logits.
double logit_nrmse_of(const std::vector<Spread>& logits, double least_spread = 0);

}  // namespace edgeprobe::layers
