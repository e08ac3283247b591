// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

/// Effective sample size of consecutive values that depend on earlier ones.
namespace edgeprobe::stats {

/// 1 + 2 * the sum of the autocorrelations of `series`, in steps of the series and at least 1: the
/// factor by which the variance of its mean exceeds that of the same number of independent values.
/// Sums pairs of lags while they are positive (initial positive sequence, Geyer 1992), at most 500
/// lags. 1 for fewer than 4 values and for a constant series.
double integrated_autocorrelation_time(std::span<const double> series);

/// The number of independent values that would estimate the quantile at `level` equally well as
/// these, in measurement order: n / the integrated autocorrelation time of "is at most the
/// quantile". 0..n.
double effective_sample_size(std::span<const double> values, double level);

}  // namespace edgeprobe::stats
