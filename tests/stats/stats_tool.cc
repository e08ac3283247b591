// SPDX-License-Identifier: Apache-2.0
// Prints the statistics of the numbers on standard input, for a comparison with other programs. Two
// lines: two samples.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "stats/bootstrap.h"
#include "stats/rank.h"
#include "stats/significance.h"
#include "stats/summary.h"

using namespace edgeprobe::stats;

namespace {

std::vector<double> read_line() {
  std::string line;
  std::getline(std::cin, line);
  std::istringstream words(line);
  std::vector<double> values;
  for (double value = 0; words >> value;) values.push_back(value);
  return values;
}

}  // namespace

int main() {
  std::vector<double> first = read_line();
  const std::vector<double> second = read_line();
  const Summary summary = summarize(first);
  std::printf("mean %.17g\nstd %.17g\nmin %.17g\nmax %.17g\np50 %.17g\np90 %.17g\np99 %.17g\n",
              summary.mean, summary.std, summary.min, summary.max, summary.p50.value,
              summary.p90.value, summary.p99.value);
  std::printf("median %.17g\nupper %.17g\nlower %.17g\n", median(first),
              upper_median(std::vector(first)), lower_quantile(std::vector(first), 0.9));
  const MeanTest mean = mean_test(first);
  std::printf("t_p %.17g\nt_low %.17g\nt_high %.17g\n", mean.p, mean.low, mean.high);
  if (second.empty()) {
    std::sort(first.begin(), first.end());
    std::printf("rank %.17g\n", nearest_rank(first, 0.95));
    return 0;
  }
  const RankTest test = mann_whitney(first, second);
  const Ratio ratio = median_ratio(first, second);
  std::printf("p %.17g\nsuperiority %.17g\nratio %.17g\nlow %.17g\nhigh %.17g\n", test.p,
              test.probability_of_superiority, ratio.value, ratio.low, ratio.high);
}
