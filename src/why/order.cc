// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstdint>
#include <unordered_map>

#include "core/text.h"
#include "why/outputs.h"

namespace edgeprobe::why {
namespace {

using diagnose::CauseKind;

/// Maximum positions of a row that are searched one by one.
constexpr std::size_t kMostPlaced = 4096;
/// Positions shown in a list.
constexpr std::size_t kShownPlaces = 8;
/// Fewer values are sorted by chance in one of 720 orders.
constexpr std::size_t kFewestSorted = 6;

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
         " than the reference's, and what leaves at one end comes in at the other (of scores: "
         "labels are that many off)";
}

std::string list_text(const std::vector<std::size_t>& places) {
  std::string list;
  for (std::size_t k = 0; k < std::min(places.size(), kShownPlaces); ++k)
    list += (k ? ", " : "") + std::to_string(places[k]);
  return "holds the reference's values in another order: in its first places those of " + list +
         (places.size() > kShownPlaces ? ", …" : "");
}

/// Every rule that gives this order: sorted values may be reversed ones as well.
std::vector<std::string> rules_of(const Sides& sides, const std::vector<std::size_t>& places) {
  const std::size_t n = places.size();
  std::vector<std::string> out;
  for (const bool ascending : {true, false})
    if (is_sorted_row(sides.fed, n, ascending) && !is_sorted_row(sides.wanted(), n, ascending))
      out.push_back(std::string("holds the reference's values in ") +
                    (ascending ? "ascending" : "descending") + " order, whatever their places");
  const bool is_sorted = !out.empty();
  bool reversed = true, turned = true;
  std::vector<std::size_t> moved;
  for (std::size_t k = 0; k < n; ++k) {
    reversed = reversed && places[k] == n - 1 - k;
    turned = turned && places[k] == (k + places[0]) % n;
    if (places[k] != k) moved.push_back(k);
  }
  if (reversed) out.push_back("holds the reference's values in reverse order");
  if (turned) out.push_back(turned_text(n - places[0], n));
  if (moved.size() == 2 && !reversed && !turned)
    out.push_back("holds the reference's values " + std::to_string(moved[0]) + " and " +
                  std::to_string(moved[1]) + " in each other's place");
  if (out.empty() || (is_sorted && out.size() == 1 && n < kFewestSorted))
    out.push_back(list_text(places));
  return out;
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

/// The first of several rules as the name, the others as alternatives that decide nothing.
Answer by_rules(CauseKind kind, std::vector<std::string> rules) {
  Answer out = named(kind, "the app's tensor " + rules.front(), {1, 1, 0, "rounding of its type"});
  for (std::size_t k = 1; k < rules.size(); ++k)
    out.causes.front().alternatives.push_back("the app's tensor " + rules[k]);
  if (rules.size() > 1) {
    out.outcome = diagnose::Outcome::kUndecided;
    out.would_decide.push_back("a pair of other values: in these the explanations are one");
  }
  return out;
}

}  // namespace

std::size_t row_length(const Shape& shape) {
  const auto axes = diagnose::tensors::all_axes(shape);
  return axes.empty() ? 1 : axes.back().size;
}

std::optional<Answer> by_order(const Sides& sides) {
  if (sides.picture) return std::nullopt;
  const std::size_t length = row_length(sides.reference.spec.shape);
  if (length < kFewestScores || sides.fed == sides.wanted()) return std::nullopt;
  std::vector<float> mine(sides.fed), theirs(sides.wanted());
  std::sort(mine.begin(), mine.end());
  std::sort(theirs.begin(), theirs.end());
  if (mine != theirs) return std::nullopt;
  if (length > kMostPlaced) {
    if (length != sides.fed.size() || !is_telling(sides.fed)) return std::nullopt;
    const std::size_t by = turned_by(sides.fed, sides.wanted());
    if (by == 0) return std::nullopt;
    return by_rules(CauseKind::kOutputOrder, {turned_text(by, length)});
  }
  const auto places = places_of(sides, length);
  if (!places) return std::nullopt;
  return by_rules(CauseKind::kOutputOrder, rules_of(sides, *places));
}

namespace {

using diagnose::tensors::Axis;

/// A shorter run of one value at an end may be part of the data; a single value always is one.
constexpr std::size_t kFewestPadded = 4, kLeastPadded = 2;

/// Slices of one value at an end of a row along an axis.
std::size_t padding_of(const std::vector<float>& values, const Axis& axis, std::size_t row,
                       bool at_end, float filler) {
  std::size_t run = 0;
  for (; run < axis.size; ++run) {
    const std::size_t slice = at_end ? axis.size - 1 - run : run;
    for (std::size_t i = 0; i < axis.inner; ++i)
      if (values[axis.place(row, slice, i)] != filler) return run;
  }
  return run;
}

/// The longest padding that moved if each row of the app's is the reference's with its padding at
/// the other end; 0 if not. Rows may be padded by different amounts.
std::size_t moved_by(const Sides& sides, const Axis& axis, bool at_end) {
  const std::vector<float>&fed = sides.fed, &wanted = sides.wanted();
  const auto differs = std::mismatch(fed.begin(), fed.end(), wanted.begin()).first - fed.begin();
  const std::size_t first = std::size_t(differs) / (axis.size * axis.inner);
  const float filler = wanted[axis.place(first, at_end ? axis.size - 1 : 0, 0)];
  std::size_t longest = 0;
  for (std::size_t row = 0; row < axis.outer; ++row) {
    const std::size_t run = padding_of(wanted, axis, row, at_end, filler),
                      turn = at_end ? axis.size - run : run;
    for (std::size_t k = 0; k < axis.size; ++k)
      for (std::size_t i = 0; i < axis.inner; ++i)
        if (fed[axis.place(row, k, i)] != wanted[axis.place(row, (k + turn) % axis.size, i)])
          return 0;
    if (run < axis.size) longest = std::max(longest, run);
  }
  return longest;
}

bool is_reversed(const Sides& sides, const Axis& axis) {
  for (std::size_t i = 0; i < sides.fed.size(); ++i)
    if (sides.fed[i] != sides.wanted()[axis.moved(i, axis.size - 1 - axis.slice(i))]) return false;
  return true;
}

}  // namespace

std::optional<Answer> by_padding(const Sides& sides) {
  if ((sides.picture && sides.picture->channels > 1) || sides.fed == sides.wanted())
    return std::nullopt;
  for (const Axis& axis : diagnose::tensors::all_axes(sides.reference.spec.shape))
    for (const bool at_end : {true, false}) {
      const std::size_t longest = axis.size < 3 ? 0 : moved_by(sides, axis, at_end);
      if (longest < kLeastPadded) continue;
      const std::string unit = axis.of < 2 ? "values" : axis.names();
      std::vector<std::string> rules{std::string("holds its padding ") +
                                     (at_end ? "in front" : "at the end") + ", the reference's " +
                                     (at_end ? "at the end" : "in front") + " (up to " +
                                     std::to_string(longest) + " " + unit + ")"};
      if (is_reversed(sides, axis)) rules.push_back("holds its " + unit + " in reverse order");
      if (longest < kFewestPadded)
        rules.push_back("holds its " + unit + " " + std::to_string(longest) + " places" +
                        (at_end ? " later" : " earlier") +
                        ", and what leaves at one end comes in at the other");
      return by_rules(CauseKind::kLayout, std::move(rules));
    }
  return std::nullopt;
}

}  // namespace edgeprobe::why
