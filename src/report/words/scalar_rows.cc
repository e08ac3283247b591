// SPDX-License-Identifier: Apache-2.0
#include "report/words/rows.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

constexpr std::size_t kMost = 7;

std::string shown(double value, int digits) {
  return std::isfinite(value) ? number(value, digits) : "–";
}
std::string with_unit(double value, const std::string& unit) {
  return shown(value, 3) + (unit.empty() ? "" : " " + sanitized(unit, 20));
}

std::string row(const diagnose::ScalarTest& test) {
  const std::string p =
      test.p_corrected < 0.001 ? "p < 0.001" : "p = " + shown(test.p_corrected, 2);
  return sanitized(test.name, 60) + " (" + diagnose::name(test.kind) + "): median " +
         with_unit(test.failing_median, test.unit) + " against " +
         with_unit(test.other_median, test.unit) + ", effect " + shown(test.effect, 2) + ", " + p;
}

std::string row(const diagnose::CategoryTest& test) {
  const std::string p =
      test.p_corrected < 0.001 ? "p < 0.001" : "p = " + shown(test.p_corrected, 2);
  return sanitized(test.name, 60) + " (text of " + std::to_string(test.categories) +
         " values): with '" + sanitized(test.value, 60) + "' " +
         std::to_string(test.value_failing) + " of " + std::to_string(test.value_frames) +
         " fail, effect " + shown(test.effect, 2) + ", " + p;
}

}  // namespace

std::vector<std::string> scalar_rows(const diagnose::Verdict& verdict) {
  std::vector<std::string> rows;
  if (!verdict.scalars) return rows;
  rows.push_back(sentence(verdict.scalars->sentence));
  const auto& tests = verdict.scalars->tests;
  for (std::size_t i = 0; i < std::min(kMost, tests.size()); ++i) rows.push_back(row(tests[i]));
  if (tests.size() > kMost) rows.push_back("and " + std::to_string(tests.size() - kMost) + " more");
  const auto& categories = verdict.scalars->categories;
  for (std::size_t i = 0; i < std::min(kMost, categories.size()); ++i)
    rows.push_back(row(categories[i]));
  if (categories.size() > kMost)
    rows.push_back("and " + std::to_string(categories.size() - kMost) + " more texts");
  return rows;
}

}  // namespace edgeprobe::report
