// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

/// How much values that were taken one after the other tell, where each depends on those before it.
namespace edgeprobe::stats {

/// 1 + 2 * the sum of the autocorrelations of `series`, in steps of the series and at least 1: by
/// this factor the variance of its mean is larger than that of as many independent values. Pairs of
/// lags are summed up while they are positive (initial positive sequence, Geyer 1992), at most 500
/// lags. 1 for fewer than 4 values and for a constant series.
double integrated_autocorrelation_time(std::span<const double> series);

/// As many independent values tell as much about the quantile at `level` as these in the order in
/// which they were taken: n / the integrated autocorrelation time of "is at most the quantile".
/// 0..n.
double effective_sample_size(std::span<const double> values, double level);

}  // namespace edgeprobe::stats
