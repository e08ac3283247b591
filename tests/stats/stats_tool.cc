// Prints the statistics of the numbers on standard input, for a comparison with other programs. Two lines: two samples.
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>

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
  const std::vector<double> first = read_line(), second = read_line();
  const Summary summary = summarize(first);
  std::printf("mean %.17g\nstd %.17g\nmin %.17g\nmax %.17g\np50 %.17g\np90 %.17g\np99 %.17g\n", summary.mean, summary.std, summary.min, summary.max,
              summary.p50.value, summary.p90.value, summary.p99.value);
  if (second.empty()) return 0;
  const RankTest test = mann_whitney(first, second);
  const Ratio ratio = median_ratio(first, second);
  std::printf("p %.17g\nsuperiority %.17g\nratio %.17g\nlow %.17g\nhigh %.17g\n", test.p, test.superiority, ratio.value, ratio.low, ratio.high);
}
