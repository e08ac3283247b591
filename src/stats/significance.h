// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The one level at which a difference counts as more than chance.
namespace edgeprobe::stats {

/// Fisher's convention (1925): one in twenty tests of equal things says that they differ. Several
/// tests at once adjust their p first; see holm().
inline constexpr double kAlpha = 0.05;

/// Whether chance alone would give so uneven a result less often than kAlpha.
constexpr bool is_significant(double p) { return p < kAlpha; }

/// Whether the target does worse than the reference by more than chance. `p`: of the two-sided
/// paired test of both; `target`, `reference`: what either got right, as counts or fractions.
template <class Number>
constexpr bool is_loss(double p, Number target, Number reference) {
  return is_significant(p) && target < reference;
}

}  // namespace edgeprobe::stats
