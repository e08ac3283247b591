// SPDX-License-Identifier: Apache-2.0
#include "fleet/study.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "fleet/columns.h"
#include "stats/association.h"
#include "stats/category_table.h"
#include "stats/quantile.h"
#include "stats/rank.h"
#include "stats/significance.h"

namespace edgeprobe::fleet {
namespace {

constexpr double kLeastEffect = 0.3;

std::vector<bool> failing_of(const std::vector<Device>& devices) {
  std::vector<bool> fails;
  for (const Device& device : devices) fails.push_back(device.fails);
  return fails;
}

FactTest test_of(const TextColumn& column, const std::vector<bool>& fails) {
  const std::vector<std::optional<std::string>>& texts = column.values.front();
  const stats::CategoryTable table = stats::category_table(texts, fails);
  FactTest test;
  test.names = column.names;
  test.categories = table.names.size();
  for (const stats::CategoryCount& count : table.counts)
    test.failing += count.yes, test.passing += count.no;
  const stats::AssociationTest found = stats::association(table.counts);
  test.effect = found.cramers_v;
  test.p = found.p;
  test.exact = found.exact;
  test.least_p = stats::least_association_p(table.counts);
  const std::size_t farthest = stats::farthest_category(table.counts);
  test.value_failing = table.counts[farthest].yes;
  test.value_devices = test.value_failing + table.counts[farthest].no;
  for (const std::size_t item : table.of_item) test.with_it.push_back(item == farthest);
  // Every other name has a single value on the same devices, too.
  const auto first = std::find(test.with_it.begin(), test.with_it.end(), true);
  const auto at = static_cast<std::size_t>(first - test.with_it.begin());
  const bool is_one_value = texts[at] == table.names[farthest];
  for (const auto& values : column.values)
    test.values.push_back(is_one_value ? *values[at] : table.names[farthest]);
  const double expected = static_cast<double>(test.value_devices * test.failing) /
                          static_cast<double>(test.failing + test.passing);
  if (static_cast<double>(test.value_failing) < expected) test.with_it.flip();
  return test;
}

FactTest test_of(const NumberColumn& column, const std::vector<bool>& fails) {
  std::vector<double> with, without;
  for (std::size_t i = 0; i < fails.size(); ++i)
    if (std::isfinite(column.values[i])) (fails[i] ? with : without).push_back(column.values[i]);
  FactTest test;
  test.names = column.names;
  test.is_number = true;
  test.unit = column.unit;
  test.failing = with.size();
  test.passing = without.size();
  if (with.empty() || without.empty()) return test;
  const stats::PermutationTest found = stats::rank_permutation(without, with);
  test.failing_median = stats::median(with);
  test.passing_median = stats::median(without);
  test.effect = 2 * found.probability_of_superiority - 1;
  test.p = found.p;
  test.least_p = found.least_p;
  test.exact = found.exact;
  return test;
}

// 1 / C(n, k); doubled if the halves can be swapped.
double least_p(std::size_t n, std::size_t k) {
  if (k == 0 || k == n) return 1;
  const auto f = [](std::size_t x) { return std::lgamma(static_cast<double>(x) + 1); };
  return std::min(1.0, (2 * k == n ? 2 : 1) * std::exp(f(k) + f(n - k) - f(n)));
}

void correct(Study& study) {
  std::vector<double> p;
  std::vector<FactTest*> tested;
  for (FactTest& test : study.tests)
    if (stats::is_significant(test.least_p)) tested.push_back(&test), p.push_back(test.p);
  study.tested = tested.size();
  const std::vector<double> corrected = stats::holm(p);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    tested[i]->p_corrected = corrected[i];
    tested[i]->tells =
        stats::is_significant(corrected[i]) && std::abs(tested[i]->effect) >= kLeastEffect;
    study.least_corrected_p =
        std::min(study.least_corrected_p, static_cast<double>(tested.size()) * tested[i]->least_p);
  }
}

void group(Study& study) {
  std::map<std::vector<bool>, std::size_t> places;
  for (std::size_t i = 0; i < study.tests.size(); ++i) {
    const FactTest& test = study.tests[i];
    if (!test.tells || test.is_number) continue;
    const auto [place, is_new] = places.emplace(test.with_it, study.groups.size());
    if (is_new) study.groups.emplace_back();
    study.groups[place->second].push_back(i);
  }
}

}  // namespace

Study study_of(std::vector<Device> devices) {
  Study study;
  study.devices = std::move(devices);
  const std::vector<bool> fails = failing_of(study.devices);
  study.failing = static_cast<std::uint64_t>(std::count(fails.begin(), fails.end(), true));
  study.least_p = least_p(fails.size(), study.failing);
  if (study.failing == 0 || study.failing == fails.size()) {
    study.too_few = TooFew::kAllAlike;
    return study;
  }
  const Columns columns = columns_of(study.devices);
  study.same = columns.same;
  study.singular = columns.singular;
  study.left_out = columns.left_out;
  for (const TextColumn& column : columns.texts) study.tests.push_back(test_of(column, fails));
  for (const NumberColumn& column : columns.numbers) study.tests.push_back(test_of(column, fails));
  correct(study);
  std::stable_sort(study.tests.begin(), study.tests.end(), [](const auto& a, const auto& b) {
    return std::tuple(!a.tells, -std::abs(a.effect), a.p) <
           std::tuple(!b.tells, -std::abs(b.effect), b.p);
  });
  group(study);
  if (study.tests.empty()) study.too_few = TooFew::kNoFact;
  else if (!stats::is_significant(study.least_corrected_p)) study.too_few = TooFew::kDevices;
  return study;
}

}  // namespace edgeprobe::fleet
