// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/app/categories.h"

#include <algorithm>
#include <cmath>

#include "stats/association.h"
#include "stats/category_table.h"

namespace edgeprobe::diagnose {
std::optional<CategoryTest> test_category(const CategoryColumn& column,
                                          const std::vector<bool>& fails) {
  const stats::CategoryTable categories = stats::category_table(column.values, fails);
  CategoryTest test;
  test.name = column.name;
  test.categories = categories.names.size();
  for (const stats::CategoryCount& count : categories.counts)
    test.failing += count.yes, test.others += count.no;
  if (test.categories < 2 || test.failing < kLeastLoggedFrames || test.others < kLeastLoggedFrames)
    return std::nullopt;
  const stats::AssociationTest found = stats::association(categories.counts);
  test.effect = found.cramers_v;
  test.exact = found.exact;
  // Successive frames are dependent, as for numbers: chi-squared shrinks by their autocorrelation.
  const double time = stats::joint_autocorrelation_time(categories.of_item, categories.yes);
  const double frames = static_cast<double>(test.failing + test.others);
  test.p = found.p;
  // Smallest p that this number of independent frames can give: chi-squared is overconfident for
  // small counts.
  const auto log_factorial = [&](std::uint64_t n) {
    return std::lgamma(static_cast<double>(n) / time + 1);
  };
  const double least = std::exp(log_factorial(test.failing) + log_factorial(test.others) -
                                log_factorial(test.failing + test.others));
  if (time > 1)
    test.p = std::max({test.p, std::min(1.0, least),
                       stats::chi_squared_tail(frames * test.effect * test.effect / time,
                                               categories.names.size() - 1)});
  const std::size_t farthest = stats::farthest_category(categories.counts);
  test.value = categories.names[farthest];
  test.value_failing = categories.counts[farthest].yes;
  test.value_frames = test.value_failing + categories.counts[farthest].no;
  return test;
}

}  // namespace edgeprobe::diagnose
