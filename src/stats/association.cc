// SPDX-License-Identifier: Apache-2.0
#include "stats/association.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>

#include "stats/splitmix.h"

namespace edgeprobe::stats {
namespace {

constexpr double kMostTables = 200'000;
constexpr std::size_t kMostPermutations = 9'999, kEnoughHits = 50;
// Probabilities that are equal up to rounding count as equal.
constexpr double kSlack = 1e-7;

double log_choose(std::size_t n, std::size_t k) {
  const auto f = [](std::size_t x) { return std::lgamma(static_cast<double>(x) + 1); };
  return f(n) - f(k) - f(n - k);
}

// Visits the log probability of every table with these margins.
class Tables {
 public:
  Tables(std::vector<std::size_t> sizes, std::size_t yes)
      : sizes_(std::move(sizes)), rest_(sizes_.size() + 1, 0), yes_(yes) {
    for (std::size_t i = sizes_.size(); i-- > 0;) rest_[i] = rest_[i + 1] + sizes_[i];
    all_ = log_choose(rest_[0], yes);
  }
  // The sum of the probabilities that are at most `limit`.
  double at_most(double limit) const {
    double sum = 0;
    visit(0, yes_, -all_,
          [&](double log_p) { sum += log_p <= limit + kSlack ? std::exp(log_p) : 0; });
    return std::min(1.0, sum);
  }
  double least() const {
    double least = 0;
    visit(0, yes_, -all_, [&](double log_p) { least = std::min(least, log_p); });
    return least;
  }

 private:
  template <class Visitor>
  void visit(std::size_t place, std::size_t yes, double log_p, const Visitor& visitor) const {
    if (place + 1 == sizes_.size()) return visitor(log_p + log_choose(sizes_[place], yes));
    const std::size_t least = yes > rest_[place + 1] ? yes - rest_[place + 1] : 0;
    for (std::size_t k = least; k <= std::min(yes, sizes_[place]); ++k)
      visit(place + 1, yes - k, log_p + log_choose(sizes_[place], k), visitor);
  }

  std::vector<std::size_t> sizes_, rest_;
  std::size_t yes_;
  double all_ = 0;
};

// Both margins of a table, and an upper bound on the number of tables with them.
struct Margins {
  std::vector<std::size_t> sizes;  // ascending, none is 0
  std::size_t yes = 0, no = 0;
  double tables = 1;

  bool can_be_visited() const { return tables <= kMostTables; }
};

Margins margins_of(std::span<const CategoryCount> counts) {
  Margins out;
  for (const CategoryCount& one : counts) {
    out.yes += one.yes, out.no += one.no;
    if (one.yes + one.no > 0) out.sizes.push_back(one.yes + one.no);
  }
  std::sort(out.sizes.begin(), out.sizes.end());
  // The largest category follows from the others.
  for (std::size_t i = 0; i + 1 < out.sizes.size(); ++i)
    out.tables *= static_cast<double>(std::min(out.sizes[i], out.yes) + 1);
  return out;
}

double permuted(const std::vector<std::size_t>& sizes, std::size_t yes, double limit) {
  std::vector<std::size_t> owner;
  for (std::size_t i = 0; i < sizes.size(); ++i) owner.insert(owner.end(), sizes[i], i);
  const double all = log_choose(owner.size(), yes);
  std::uint64_t state = 1;
  std::size_t hits = 0;
  std::vector<std::size_t> drawn(sizes.size());
  for (std::size_t round = 1; round <= kMostPermutations; ++round) {
    std::fill(drawn.begin(), drawn.end(), 0);
    for (std::size_t i = 0; i < yes; ++i) {
      std::swap(owner[i], owner[i + splitmix64(state) % (owner.size() - i)]);
      ++drawn[owner[i]];
    }
    double log_p = -all;
    for (std::size_t i = 0; i < sizes.size(); ++i) log_p += log_choose(sizes[i], drawn[i]);
    hits += log_p <= limit + kSlack;
    if (hits == kEnoughHits) return static_cast<double>(hits) / static_cast<double>(round);
  }
  return static_cast<double>(hits + 1) / static_cast<double>(kMostPermutations + 1);
}

// Autocorrelation of `values` at `lag`; 0 when they do not vary.
double correlation_at(const std::vector<double>& values, std::size_t lag) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += values[i] * values[i];
    if (i + lag < values.size()) sum += values[i] * values[i + lag];
  }
  return squares > 0 ? sum / squares : 0;
}

void center(std::vector<double>& values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) /
                      static_cast<double>(std::max<std::size_t>(1, values.size()));
  for (double& value : values) value -= mean;
}

}  // namespace

AssociationTest association(std::span<const CategoryCount> counts) {
  AssociationTest test;
  const Margins margins = margins_of(counts);
  const std::size_t yes = margins.yes, no = margins.no;
  if (margins.sizes.size() < 2 || yes == 0 || no == 0) return test;
  const double n = static_cast<double>(yes + no);
  double log_p = -log_choose(yes + no, yes), chi = 0;
  for (const CategoryCount& one : counts) {
    const std::size_t size = one.yes + one.no;
    if (size == 0) continue;
    log_p += log_choose(size, one.yes);
    const double expected = static_cast<double>(size) * static_cast<double>(yes) / n;
    const double off = static_cast<double>(one.yes) - expected;
    chi += off * off / expected +
           off * off / (static_cast<double>(size) * static_cast<double>(no) / n);
  }
  test.cramers_v = std::sqrt(std::min(1.0, chi / n));
  test.exact = margins.can_be_visited();
  test.p =
      test.exact ? Tables(margins.sizes, yes).at_most(log_p) : permuted(margins.sizes, yes, log_p);
  return test;
}

double least_association_p(std::span<const CategoryCount> counts) {
  const Margins margins = margins_of(counts);
  if (margins.sizes.size() < 2 || margins.yes == 0 || margins.no == 0) return 1;
  if (!margins.can_be_visited()) return 0;
  const Tables tables(margins.sizes, margins.yes);
  return tables.at_most(tables.least());
}

double chi_squared_tail(double value, std::size_t degrees) {
  if (degrees == 0 || !(value > 0)) return 1;
  const double half = value / 2;
  double sum = degrees % 2 ? std::erfc(std::sqrt(half)) : 0;
  // Abramowitz and Stegun 26.4.4 and 26.4.5.
  for (double power = degrees % 2 ? 0.5 : 0; 2 * power < static_cast<double>(degrees) - 1; ++power)
    sum += std::exp(power * std::log(half) - half - std::lgamma(power + 1));
  return std::min(1.0, sum);
}

double joint_autocorrelation_time(std::span<const std::size_t> category,
                                  const std::vector<bool>& yes) {
  std::vector<double> kind(yes.begin(), yes.end());
  center(kind);
  const std::size_t most = yes.size() / 4;
  double longest = 1;
  std::vector<double> of_kind;
  for (std::size_t lag = 1; lag <= most; ++lag) {
    of_kind.push_back(correlation_at(kind, lag));
    if (of_kind.back() <= 0) break;
  }
  const std::set<std::size_t> values(category.begin(), category.end());
  for (const std::size_t value : values) {
    std::vector<double> is(category.size());
    for (std::size_t i = 0; i < is.size(); ++i) is[i] = category[i] == value;
    center(is);
    double time = 1;
    for (std::size_t lag = 1; lag <= of_kind.size(); ++lag) {
      const double both = of_kind[lag - 1] * correlation_at(is, lag);
      if (of_kind[lag - 1] <= 0 || both <= 0) break;
      time += 2 * both;
    }
    longest = std::max(longest, time);
  }
  return longest;
}

}  // namespace edgeprobe::stats
