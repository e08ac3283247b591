// SPDX-License-Identifier: Apache-2.0
#include "diagnose/categories.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "stats/association.h"

namespace edgeprobe::diagnose {
namespace {

// Values of a text that are tested apart, and the frames that each needs; the rest is one category.
constexpr std::size_t kMostCategories = 20, kLeastOfCategory = 2;

// The values of a column as numbers of categories, the rare ones together. That choice sees only
// how often a value occurs, never what fails, so that it makes no test too small a p.
struct Categories {
  std::vector<std::size_t> of_frame;  // of the frames that have a value
  std::vector<bool> fails;
  std::vector<std::string> names;
  std::vector<stats::CategoryCount> counts;
};

Categories categories_of(const CategoryColumn& column, const std::vector<bool>& fails) {
  std::map<std::string, std::size_t> frames;
  for (const auto& value : column.values)
    if (value) ++frames[*value];
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const auto& [value, count] : frames)
    if (count >= kLeastOfCategory) order.emplace_back(count, value);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (order.size() > kMostCategories) order.resize(kMostCategories);
  Categories out;
  std::map<std::string, std::size_t> places;
  for (const auto& [count, value] : order) {
    places[value] = out.names.size();
    out.names.push_back(value);
  }
  const std::size_t rest = out.names.size();
  if (frames.size() > rest)
    out.names.push_back("(" + std::to_string(frames.size() - rest) + " rare values)");
  out.counts.resize(out.names.size());
  for (std::size_t i = 0; i < fails.size(); ++i) {
    if (!column.values[i]) continue;
    const auto known = places.find(*column.values[i]);
    const std::size_t place = known == places.end() ? rest : known->second;
    out.of_frame.push_back(place);
    out.fails.push_back(fails[i]);
    ++(fails[i] ? out.counts[place].yes : out.counts[place].no);
  }
  return out;
}

}  // namespace

Result<std::vector<CategoryColumn>> logged_categories(const trace::Reader& reader,
                                                      const std::vector<std::uint32_t>& frames,
                                                      std::vector<std::string>& warnings) {
  std::vector<CategoryColumn> columns;
  std::size_t left_out = 0;
  for (const trace::ReadChannel& channel : reader.channels()) {
    const std::string& encoding = channel.channel.encoding;
    if (channel.channel.stage != trace::Stage::kVariable ||
        (encoding != "utf8" && encoding != "json"))
      continue;
    CategoryColumn column{channel.channel.spec.name, {}};
    column.values.resize(frames.size());
    const std::optional<std::string>* first = nullptr;
    bool changes = false;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const auto text = reader.read(frames[i], channel.id);
      if (!text) return text.error();
      if (!*text) continue;
      column.values[i] = std::string((*text)->bytes.text());
      if (first) changes = changes || *first != column.values[i];
      else first = &column.values[i];
    }
    if (!changes) continue;
    if (columns.size() < kMostLoggedColumns) columns.push_back(std::move(column));
    else ++left_out;
  }
  if (left_out)
    warnings.push_back("more than " + std::to_string(kMostLoggedColumns) +
                       " text variables were logged; the first ones are tested");
  return columns;
}

std::optional<CategoryTest> test_category(const CategoryColumn& column,
                                          const std::vector<bool>& fails) {
  const Categories categories = categories_of(column, fails);
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
  // Frames in a row count for less, as with numbers: chi-squared shrinks by what neighbours tell of
  // each other.
  const double time = stats::joint_autocorrelation_time(categories.of_frame, categories.fails);
  const double frames = static_cast<double>(test.failing + test.others);
  test.p = found.p;
  // The least p that so many independent frames could give: chi-squared is too sure of a few.
  const auto log_factorial = [&](std::uint64_t n) {
    return std::lgamma(static_cast<double>(n) / time + 1);
  };
  const double least = std::exp(log_factorial(test.failing) + log_factorial(test.others) -
                                log_factorial(test.failing + test.others));
  if (time > 1)
    test.p = std::max({test.p, std::min(1.0, least),
                       stats::chi_squared_tail(frames * test.effect * test.effect / time,
                                               categories.names.size() - 1)});
  double most = -1;
  for (std::size_t i = 0; i < categories.names.size(); ++i) {
    const stats::CategoryCount& count = categories.counts[i];
    const double all = static_cast<double>(count.yes + count.no);
    const double apart =
        std::abs(static_cast<double>(count.yes) - all * static_cast<double>(test.failing) / frames);
    // The value of which more fail, where two are as far off.
    const bool more =
        static_cast<double>(count.yes) * frames > all * static_cast<double>(test.failing);
    if (apart > most + 1e-9 || (apart > most - 1e-9 && more)) {
      most = std::max(most, apart);
      test.value = categories.names[i];
      test.value_failing = count.yes;
      test.value_frames = count.yes + count.no;
    }
  }
  return test;
}

}  // namespace edgeprobe::diagnose
