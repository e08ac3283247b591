// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace edgeprobe::compare {

/// One-pass, mergeable sums over pairs (r, t) of reference and target; d = t - r. Pairs with NaN or
/// infinity on either side, or an overflowing difference, are counted and left out of the sums.
struct Moments {
  std::uint64_t n = 0;  ///< Number of pairs in the sums.
  /// Running means; m2_* are sums of squared deviations from them.
  double mean_r = 0, mean_t = 0;
  double m2_r = 0, m2_t = 0, c_rt = 0;
  double sum_abs_d = 0, sum_sq_d = 0;
  double max_abs_d = 0;
  /// Row-major index, in its frame, of the first element with max_abs_d; 0 if max_abs_d is 0.
  std::uint64_t max_index = 0;
  double min_r = 0, max_r = 0, min_t = 0, max_t = 0;  ///< Meaningful when n > 0.
  /// Numbers of zeros on each side, and of equal pairs, among the n pairs.
  std::uint64_t zeros_r = 0, zeros_t = 0, equal = 0;
  std::uint64_t nan_r = 0, nan_t = 0, inf_r = 0, inf_t = 0;
  /// Pairs that are non-finite on only one side, or of different kind or sign.
  std::uint64_t non_finite_mismatch = 0;
  /// Number of pairs that are both finite, but whose d is not a finite float.
  std::uint64_t overflow = 0;

  /// Adds the other's pairs (Chan et al. 1979 for the central moments).
  void merge(const Moments& other);
};

/// Numbers derived from Moments; nothing if the denominator or n is zero.
struct Distances {
  std::optional<double> rmse, mae, max_abs;
  std::optional<double> rmse_over_range;  ///< ML-EXray's rMSE: RMSE / max(range r, range t).
  std::optional<double> snr_db;           ///< 10 log10(sum r^2 / sum d^2); absent when exact.
  std::optional<double> psnr_db;          ///< 20 log10(range r / RMSE); absent when exact.
  std::optional<double> cosine, pearson;
  std::optional<double> nse_error;     ///< MSE / var(r).
  std::optional<double> relative_l2;   ///< sqrt(sum d^2 / sum r^2).
  std::optional<double> gain, offset;  ///< Least-squares t = gain r + offset.
  bool exact = false;                  ///< Every pair equal and no mismatch of NaN/Inf.
};
/// Never NaN or infinite. Without any pair, the result is empty and not exact.
Distances distances(const Moments& moments);

}  // namespace edgeprobe::compare
