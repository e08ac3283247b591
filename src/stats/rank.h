#pragma once

#include <vector>

/// Tests of whether one sample has larger values than another; nothing is assumed about distributions.
namespace edgeprobe::stats {

struct RankTest {
  double p = 1;            ///< Two-sided: so uneven a split when both come from one distribution.
  double superiority = 0.5;  ///< Chance that a value of the second is larger than one of the first; ties count half.
};
/// Mann-Whitney: exact for small samples without ties (n * m <= 400), else normal with ties and continuity, its variance
/// widened by how much the values of each sample, in the order in which they were taken, depend on each other. p = 1 when
/// one is empty.
RankTest mann_whitney(const std::vector<double>& first, const std::vector<double>& second);

/// Holm's adjustment for several tests, in the order given.
std::vector<double> holm(const std::vector<double>& p);

/// 1 + 2 * the sum of autocorrelations of `series`: by how much its mean varies more than with independent values.
double dependence(const std::vector<double>& series);

}  // namespace edgeprobe::stats
