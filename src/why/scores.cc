// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <unordered_map>

#include "core/text.h"
#include "diagnose/tensors/axes.h"
#include "diagnose/tensors/changes.h"
#include "why/outputs.h"
#include "why/relative.h"

namespace edgeprobe::why {
namespace {

using diagnose::CauseKind;

/// Fewer scores reveal neither an order nor a function.
constexpr std::size_t kFewestScores = 4;
/// Maximum positions of a row that are searched one by one.
constexpr std::size_t kMostPlaced = 4096;
/// Classes shown in a list of positions.
constexpr std::size_t kShown = 8;
/// Odds required against the numbers being the best classes by luck, and against their being off by
/// one.
constexpr double kChances = 50, kChancesOff = 200;

std::size_t row_length(const Shape& shape) {
  const auto axes = diagnose::tensors::all_axes(shape);
  return axes.empty() ? 1 : axes.back().size;
}

/// Hash of each position's values over all rows.
std::vector<std::uint64_t> hashes_of(const std::vector<float>& values, std::size_t length) {
  std::vector<std::uint64_t> out(length, 14695981039346656037ull);
  for (std::size_t row = 0; row + length <= values.size(); row += length)
    for (std::size_t k = 0; k < length; ++k)
      out[k] = (out[k] ^ std::bit_cast<std::uint32_t>(values[row + k] + 0.0f)) * 1099511628211ull;
  return out;
}

/// For each position, the reference's class found there, equal in every row; empty if values
/// repeat, which hides the order.
std::optional<std::vector<std::size_t>> places_of(const Sides& sides, std::size_t length) {
  const std::vector<float>&fed = sides.fed, &wanted = sides.wanted();
  struct Group {
    std::vector<std::size_t> from;
    std::size_t used = 0;
  };
  std::unordered_map<std::uint64_t, Group> groups;
  const auto theirs = hashes_of(wanted, length), mine = hashes_of(fed, length);
  for (std::size_t from = 0; from < length; ++from) groups[theirs[from]].from.push_back(from);
  std::vector<std::size_t> places;
  std::size_t plain = 0;
  for (std::size_t k = 0; k < length; ++k) {
    Group& group = groups[mine[k]];
    if (group.used == group.from.size()) return std::nullopt;
    plain += group.from.size() == 1;
    places.push_back(group.from[group.used++]);
  }
  if (plain < std::max(kFewestScores, length / 2)) return std::nullopt;
  for (std::size_t row = 0; row + length <= fed.size(); row += length)
    for (std::size_t k = 0; k < length; ++k)
      if (fed[row + k] != wanted[row + places[k]]) return std::nullopt;
  return places;
}

bool is_sorted_row(const std::vector<float>& values, std::size_t length, bool ascending) {
  for (std::size_t row = 0; row + length <= values.size(); row += length)
    for (std::size_t k = row + 1; k < row + length; ++k)
      if (ascending ? values[k] < values[k - 1] : values[k] > values[k - 1]) return false;
  return true;
}

std::string turned_text(std::size_t by, std::size_t n) {
  const bool later = by <= n / 2;
  return "holds each value " + counted(later ? by : n - by, "place") +
         (later ? " later" : " earlier") +
         " than the reference's, and what leaves at one end comes in at the other: labels are "
         "that many off";
}

std::string order_text(const Sides& sides, const std::vector<std::size_t>& places) {
  const std::size_t n = places.size();
  for (const bool ascending : {true, false})
    if (is_sorted_row(sides.fed, n, ascending) && !is_sorted_row(sides.wanted(), n, ascending))
      return std::string("holds the reference's values in ") +
             (ascending ? "ascending" : "descending") + " order, whatever their places";
  bool reversed = true, turned = true;
  for (std::size_t k = 0; k < n; ++k) {
    reversed = reversed && places[k] == n - 1 - k;
    turned = turned && places[k] == (k + places[0]) % n;
  }
  if (reversed) return "holds the reference's values in reverse order";
  if (turned) return turned_text(n - places[0], n);
  std::string list;
  for (std::size_t k = 0; k < std::min(n, kShown); ++k)
    list += (k ? ", " : "") + std::to_string(places[k]);
  return "holds the reference's values in another order: in its first places those of " + list +
         (n > kShown ? ", …" : "");
}

/// Rotation of a single long row: positions by which all values are moved, with the last ones
/// first; 0: none, or ambiguous. Finds the row within itself twice, without backtracking: in
/// linear time even if most values are equal (the method of Knuth, Morris and Pratt).
std::size_t turned_by(const std::vector<float>& fed, const std::vector<float>& wanted) {
  const std::size_t n = fed.size();
  std::vector<std::size_t> border(n, 0);
  for (std::size_t i = 1, k = 0; i < n; ++i) {
    while (k > 0 && wanted[i] != wanted[k]) k = border[k - 1];
    if (wanted[i] == wanted[k]) ++k;
    border[i] = k;
  }
  std::size_t found = 0, count = 0;
  for (std::size_t i = 1, k = 0; i + 1 < 2 * n; ++i) {
    const float value = fed[i % n];
    while (k > 0 && (k == n || value != wanted[k])) k = border[k - 1];
    if (value == wanted[k]) ++k;
    if (k == n) found = i + 1 - n, ++count;
  }
  return count == 1 ? found : 0;
}

std::optional<Answer> by_order(const Sides& sides) {
  const std::size_t length = row_length(sides.reference.spec.shape);
  if (length < kFewestScores || sides.fed == sides.wanted()) return std::nullopt;
  std::vector<float> mine(sides.fed), theirs(sides.wanted());
  std::sort(mine.begin(), mine.end());
  std::sort(theirs.begin(), theirs.end());
  if (mine != theirs) return std::nullopt;
  std::string text;
  if (length > kMostPlaced) {
    if (length != sides.fed.size() || !is_telling(sides.fed)) return std::nullopt;
    const std::size_t by = turned_by(sides.fed, sides.wanted());
    if (by == 0) return std::nullopt;
    text = turned_text(by, length);
  } else {
    const auto places = places_of(sides, length);
    if (!places) return std::nullopt;
    text = order_text(sides, *places);
  }
  return named(CauseKind::kOutputOrder, "the app's tensor " + text,
               {1, 1, 0, "rounding of its type"});
}

/// A function of each row that yields the other side.
using Make = double (*)(double value, double most, double sum);
struct Made {
  Make make;
  const char* words;
};
constexpr Made kMade[] = {
    {[](double v, double, double) { return 1 / (1 + std::exp(-v)); },
     "is the logistic function (sigmoid) of the reference's"},
    {[](double v, double most, double sum) { return std::exp(v - most) / sum; },
     "is the softmax of the reference's"},
    {[](double v, double most, double sum) { return v - most - std::log(sum); },
     "is the logarithm of the softmax of the reference's"},
    {[](double v, double, double) { return std::log(v); }, "is the logarithm of the reference's"},
};

std::optional<Answer> by_function(const Sides& sides) {
  const std::size_t length = row_length(sides.reference.spec.shape);
  const std::vector<float>&fed = sides.fed, &wanted = sides.wanted();
  if (length < 2 || fed.size() < kFewestScores || !is_float(sides.app.spec.dtype))
    return std::nullopt;
  double reach = 0;
  for (const float v : fed) reach = std::max(reach, std::abs(double(v)));
  const auto [low, high] = std::minmax_element(fed.begin(), fed.end());
  const double spread = double(*high) - double(*low);
  // Near 0.5, or for as many classes as scores of 0.001, all values are alike: noise fits too.
  const double slack = std::max(1e-6 * reach, 2e-5 * spread);
  if (!(spread > 50 * slack)) return std::nullopt;
  std::vector<const Made*> found;
  for (const Made& one : kMade) {
    bool holds = true, differed = false;
    for (std::size_t row = 0; holds && row + length <= fed.size(); row += length) {
      double most = -1e300, sum = 0;
      for (std::size_t k = 0; k < length; ++k) most = std::max(most, double(wanted[row + k]));
      for (std::size_t k = 0; k < length; ++k) sum += std::exp(double(wanted[row + k]) - most);
      for (std::size_t k = row; holds && k < row + length; ++k) {
        const double made = one.make(double(wanted[k]), most, sum);
        holds = std::abs(made - double(fed[k])) <= slack;
        differed = differed || std::abs(double(wanted[k]) - double(fed[k])) > 20 * slack;
      }
    }
    if (holds && differed) found.push_back(&one);
  }
  if (found.empty()) return std::nullopt;
  Answer out =
      named(CauseKind::kPostprocessing, std::string("the app's tensor ") + found.front()->words,
            {1, 1, 0, "rounding of its type"});
  for (std::size_t k = 1; k < found.size(); ++k)
    out.causes.front().alternatives.push_back(std::string("the app's tensor ") + found[k]->words);
  if (found.size() > 1) out.outcome = diagnose::Outcome::kUndecided;
  return out;
}

/// The best class of each row; empty if two share it in any.
std::optional<std::vector<std::size_t>> best_of(const std::vector<float>& scores, std::size_t outer,
                                                std::size_t classes, std::size_t inner) {
  std::vector<std::size_t> out;
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < inner; ++i) {
      std::size_t best = 0;
      const auto at = [&](std::size_t c) { return scores[(o * classes + c) * inner + i]; };
      for (std::size_t c = 1; c < classes; ++c)
        if (at(c) > at(best)) best = c;
      for (std::size_t c = best + 1; c < classes; ++c)
        if (at(c) == at(best)) return std::nullopt;
      out.push_back(best);
    }
  return out;
}

std::optional<Answer> by_best(const Side& classes, const Side& scores, bool app_has_classes) {
  const std::size_t n = classes.values.size();
  for (const auto& axis : diagnose::tensors::all_axes(scores.spec.shape)) {
    if (scores.values.size() / axis.size != n) continue;
    const auto best = best_of(scores.values, axis.outer, axis.size, axis.inner);
    if (!best) continue;
    const double chances = std::pow(double(axis.size), double(n));
    for (const int by : {0, 1, -1}) {
      bool fits = chances >= (by == 0 ? kChances : kChancesOff);
      for (std::size_t k = 0; k < n && fits; ++k)
        fits = double(classes.values[k]) == double((*best)[k]) + by;
      if (!fits) continue;
      const std::string who = app_has_classes ? "the app's" : "the reference's",
                        other = app_has_classes ? "the reference's" : "the app's";
      return named(CauseKind::kPostprocessing,
                   who + " tensor holds the best class (argmax) of " + other +
                       " scores along axis " + std::to_string(axis.number) +
                       (by == 0   ? ""
                        : by == 1 ? ", counted from 1"
                                  : ", less 1 (the first class left out)"),
                   {1, 1, 0, "class"});
    }
  }
  return std::nullopt;
}

/// A row with one more class at its beginning or its end.
std::optional<Answer> by_background(const Side& longer, const Side& shorter, bool app_is_longer) {
  const std::size_t n = row_length(shorter.spec.shape), more = row_length(longer.spec.shape);
  if (n < kFewestScores || more != n + 1 ||
      longer.values.size() / more != shorter.values.size() / n)
    return std::nullopt;
  std::vector<std::string> found;
  for (const std::size_t first : {std::size_t{1}, std::size_t{0}}) {
    bool fits = true;
    for (std::size_t row = 0; fits && row < shorter.values.size() / n; ++row)
      for (std::size_t k = 0; fits && k < n; ++k)
        fits = longer.values[row * more + first + k] == shorter.values[row * n + k];
    if (fits) found.push_back(first ? "in front: every label is one off" : "at the end");
  }
  if (found.empty()) return std::nullopt;
  const std::string who = app_is_longer ? "the app's" : "the reference's";
  Answer out =
      named(CauseKind::kOutputOrder,
            who + " tensor has one class more " + found.front() + "; all others are the same",
            {1, 1, 0, "rounding of its type"});
  if (found.size() > 1) {
    out.causes.front().alternatives = {who + " tensor has one class more " + found.back()};
    out.outcome = diagnose::Outcome::kUndecided;
  }
  return out;
}

bool is_whole(const Side& side) {
  return std::all_of(side.values.begin(), side.values.end(),
                     [](float v) { return v == std::round(v) && v >= 0; });
}

/// Class numbers with a constant offset.
std::optional<Answer> by_shifted_labels(const Sides& sides) {
  if (!is_integer(sides.app.spec.dtype) || !is_integer(sides.reference.spec.dtype))
    return std::nullopt;
  const double by = double(sides.fed[0]) - double(sides.wanted()[0]);
  std::set<float> distinct;
  for (std::size_t i = 0; i < sides.fed.size(); ++i) {
    if (double(sides.fed[i]) - double(sides.wanted()[i]) != by) return std::nullopt;
    distinct.insert(sides.wanted()[i]);
  }
  if (by == 0 || distinct.size() < 3 || sides.fed.size() >= 12) return std::nullopt;
  return named(CauseKind::kPostprocessing,
               "the app's whole numbers are the reference's " +
                   std::string(by > 0 ? "plus " : "minus ") + number(std::abs(by)) +
                   (std::abs(by) == 1 ? ": labels are one off" : ""),
               {1, 1, 0, "class"});
}

}  // namespace

std::optional<Answer> by_scores(const Sides& sides) {
  if (sides.picture) return std::nullopt;
  if (auto out = by_order(sides)) return out;
  if (auto out = by_function(sides)) return out;
  if (auto out = by_shifted_labels(sides)) return out;
  auto out = by_function(exchanged(sides));
  if (out) exchange_words(*out);
  return out;
}

std::optional<Answer> by_classes(const Sides& sides) {
  const bool app_is_longer = sides.app.values.size() > sides.reference.values.size();
  const Side &longer = app_is_longer ? sides.app : sides.reference,
             &shorter = app_is_longer ? sides.reference : sides.app;
  if (auto out = by_background(longer, shorter, app_is_longer)) return out;
  if (is_whole(shorter)) return by_best(shorter, longer, !app_is_longer);
  return std::nullopt;
}

}  // namespace edgeprobe::why
