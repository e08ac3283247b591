// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <numeric>

#include "core/text.h"
#include "diagnose/tensors/axes.h"
#include "diagnose/tensors/changes.h"
#include "diagnose/tensors/where.h"

namespace edgeprobe::diagnose::tensors {
namespace {

/// Limits for permuted axes, and for slices searched along one axis.
constexpr std::size_t kMostAxes = 4, kMostSlices = 2048;
/// Minimum number of values in a slice over all frames, so that it differs from others.
constexpr std::size_t kSliceValues = 8;
/// Minimum fraction of values that a shift must predict.
constexpr double kLeastJudged = 0.5;

/// For each value, its position in a tensor of `axes` that was written in the order `order`.
std::vector<std::size_t> written(const std::vector<std::size_t>& axes,
                                 const std::vector<std::size_t>& order) {
  const std::size_t rank = axes.size();
  std::vector<std::size_t> strides(rank, 1), out;
  for (std::size_t k = rank; k-- > 1;) strides[k - 1] = strides[k] * axes[k];
  const std::size_t values = strides[0] * axes[0];
  std::vector<std::size_t> at(rank, 0);
  for (std::size_t i = 0; i < values; ++i) {
    std::size_t place = 0;
    for (std::size_t k = 0; k < rank; ++k) place += at[k] * strides[order[k]];
    out.push_back(place);
    for (std::size_t k = rank; k-- > 0;) {
      if (++at[k] < axes[order[k]]) break;
      at[k] = 0;
    }
  }
  return out;
}

bool is_from(const Pairs& pairs, const std::vector<std::size_t>& places) {
  return reproduces(pairs, 1,
                    [&](std::size_t at, std::size_t i) { return pairs.all[at].wanted[places[i]]; });
}

std::string sizes(const std::vector<std::size_t>& axes, const std::vector<std::size_t>& order) {
  std::string text;
  for (const std::size_t k : order) text += (text.empty() ? "" : "x") + std::to_string(axes[k]);
  return text;
}

// True if slice `a` of the fed tensor is slice `b` of the reference's in one frame.
bool is_slice(const Pairs& pairs, const Pair& pair, const Axis& axis, std::size_t a,
              std::size_t b) {
  for (std::size_t o = 0; o < axis.outer; ++o)
    for (std::size_t i = 0; i < axis.inner; ++i)
      if (!(std::abs(double(pair.fed[axis.place(o, a, i)]) -
                     double(pair.wanted[axis.place(o, b, i)])) <= pairs.same))
        return false;
  return true;
}

/// For each slice of the fed tensor, the reference's slice that it equals in all frames; among
/// several, the nearest. Empty if a slice matches none.
std::vector<std::size_t> slices_of(const Pairs& pairs, const Axis& axis) {
  std::vector<std::size_t> from;
  for (std::size_t a = 0; a < axis.size; ++a) {
    std::optional<std::size_t> best;
    const auto nearer = [&](std::size_t b) {
      const auto apart = [&](std::size_t x) { return x > a ? x - a : a - x; };
      return !best || apart(b) < apart(*best);
    };
    for (std::size_t b = 0; b < axis.size; ++b)
      if (nearer(b) && std::all_of(pairs.differs.begin(), pairs.differs.end(), [&](std::size_t at) {
            return is_slice(pairs, pairs.all[at], axis, a, b);
          }))
        best = b;
    if (!best) return {};
    from.push_back(*best);
  }
  return from;
}

std::optional<std::string> worded(const Axis& axis, const std::vector<std::size_t>& from) {
  const std::size_t n = axis.size;
  std::vector<std::size_t> moved;
  for (std::size_t k = 0; k < n; ++k)
    if (from[k] != k) moved.push_back(k);
  if (moved.empty()) return std::nullopt;
  const auto text = [](std::size_t k) { return std::to_string(k); };
  std::vector<bool> used(n, false);
  for (const std::size_t k : from) used[k] = true;
  const bool is_order = std::all_of(used.begin(), used.end(), [](bool one) { return one; });
  if (moved.size() == 2 && is_order)
    return "holds its " + axis.names() + " " + text(moved[0]) + " and " + text(moved[1]) +
           " in each other's place";
  bool reversed = true, rotated = true;
  for (std::size_t k = 0; k < n; ++k) {
    reversed = reversed && from[k] == n - 1 - k;
    rotated = rotated && from[k] == (k + from[0]) % n;
  }
  if (reversed) return "holds its " + axis.names() + " in reverse order";
  if (rotated) {
    const std::size_t by = n - from[0];
    const bool down = by <= n / 2;
    return "holds its " + axis.names() + " turned round by " + text(down ? by : from[0]) +
           (down ? " to the end" : " to the beginning");
  }
  if (is_order) {
    std::string list;
    for (std::size_t k = 0; k < std::min<std::size_t>(n, 12); ++k)
      list += (list.empty() ? "" : ", ") + text(from[k]);
    return "holds its " + axis.names() + " in the order " + list + (n > 12 ? ", …" : "");
  }
  // Some slices are copies, and some are lost.
  const long by = long(from[moved.front()]) - long(moved.front());
  const bool from_there_on = std::all_of(moved.begin(), moved.end(), [&](std::size_t k) {
    return long(from[k]) - long(k) == by || from[k] == n - 1 || from[k] == 0;
  });
  if (moved.size() == 1)
    return "holds " + axis.name(from[moved[0]]) + " a second time in the place of " +
           axis.name(moved[0]);
  // Beyond the end, the last slice is repeated; there it is in its own place.
  if (from_there_on && n - moved.front() <= moved.size() + 1)
    return std::string(by > 0 ? "lacks " : "repeats ") + text(std::size_t(std::abs(by))) +
           " of its " + axis.names() + " from " + axis.name(moved.front()) + " on";
  return std::nullopt;
}

}  // namespace

std::optional<Change> other_axes(const Pairs& pairs) {
  const std::vector<std::size_t> axes = axes_of(pairs.shape);
  if (axes.size() < 2 || axes.size() > kMostAxes) return std::nullopt;
  std::vector<std::size_t> order(axes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::vector<std::size_t> own = order;
  while (std::next_permutation(order.begin(), order.end())) {
    if (!is_from(pairs, written(axes, order))) continue;
    return Change{CauseKind::kLayout,
                  "holds its values in another order of the axes: the app writes them as " +
                      sizes(axes, order) + " (transposed), the model takes " + sizes(axes, own)};
  }
  return std::nullopt;
}

std::optional<Change> other_order(const Pairs& pairs) {
  // Equal slices, such as padding, match many places, so tries rules before a search.
  for (const Axis& axis : all_axes(pairs.shape)) {
    const bool reversed = reproduces(pairs, 1, [&](std::size_t at, std::size_t i) {
      return pairs.all[at].wanted[axis.moved(i, axis.size - 1 - axis.slice(i))];
    });
    if (reversed && axis.size > 2)
      return Change{CauseKind::kAxisOrder, "holds its " + axis.names() + " in reverse order"};
  }
  for (const Axis& axis : all_axes(pairs.shape)) {
    if (axis.size > kMostSlices || axis.outer * axis.inner * pairs.differs.size() < kSliceValues)
      continue;
    const std::vector<std::size_t> from = slices_of(pairs, axis);
    if (from.empty()) continue;
    const auto text = worded(axis, from);
    if (!text) continue;
    const bool fits = reproduces(pairs, 1, [&](std::size_t at, std::size_t i) {
      return pairs.all[at].wanted[axis.moved(i, from[axis.slice(i)])];
    });
    if (fits) return Change{CauseKind::kAxisOrder, *text};
  }
  return std::nullopt;
}

namespace {

/// Shift of all slices from `first` on along their axis. `by` above 0: towards the end.
struct Shift {
  Axis axis;
  std::size_t first = 0;
  long by = 0;
  std::size_t open = 0;  ///< Number of values missing in the reference.
};

/// Searches for shifts with a limit of comparisons: a tensor that is mostly zeros looks like nearly
/// any shift of itself.
class ShiftSearch {
 public:
  explicit ShiftSearch(const Pairs& pairs);
  std::optional<Shift> along(const Axis& axis, std::size_t first);

 private:
  bool could_fit(const Shift& shift) const;
  bool fits(const Shift& shift);

  const Pairs& pairs_;
  std::vector<std::size_t> rare_;  ///< Positions in the first differing frame, rarest values first.
  std::size_t left_;               ///< Comparisons that are still allowed.
};

/// Positions of the fed values that are not the most frequent one, evenly spread.
std::vector<std::size_t> rare_positions(const std::vector<float>& values) {
  constexpr std::size_t kLooked = 64;
  std::vector<float> sorted;
  for (const float value : values)
    if (!std::isnan(value)) sorted.push_back(value);
  std::sort(sorted.begin(), sorted.end());
  float common = 0;
  std::size_t most = 0;
  for (std::size_t from = 0, to = 0; from < sorted.size(); from = to) {
    while (to < sorted.size() && sorted[to] == sorted[from]) ++to;
    if (to - from > most) most = to - from, common = sorted[from];
  }
  std::vector<std::size_t> rare, out;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != common) rare.push_back(i);
  const std::size_t step = std::max<std::size_t>(1, rare.size() / kLooked);
  for (std::size_t k = 0; k < rare.size(); k += step) out.push_back(rare[k]);
  return out;
}

ShiftSearch::ShiftSearch(const Pairs& pairs) : pairs_(pairs) {
  // A second of comparisons, and a few complete ones of every frame.
  constexpr std::size_t kMostCompared = 200'000'000, kComplete = 8;
  left_ = kMostCompared + kComplete * pairs.differs.size() * pairs.values();
  rare_ = rare_positions(pairs.all[pairs.differs.front()].fed);
}

bool ShiftSearch::fits(const Shift& shift) {
  const auto size = long(shift.axis.size);
  return reproduces(pairs_, kLeastJudged, [&](std::size_t at, std::size_t i) {
    if (left_ == 0)
      // The limit is reached, so this comparison ends too.
      return std::numeric_limits<float>::infinity();
    --left_;
    const std::size_t slice = shift.axis.slice(i);
    if (slice < shift.first) return pairs_.all[at].wanted[i];
    const long from = long(slice) - shift.by;
    // Slices shifted towards the end leave a gap.
    if (from < long(shift.by > 0 ? shift.first : 0) || from >= size) return kNotJudged;
    return pairs_.all[at].wanted[shift.axis.moved(i, std::size_t(from))];
  });
}

// Checks a few of the places that a shift predicts: in a long tensor this rules out most shifts
// cheaply.
bool ShiftSearch::could_fit(const Shift& shift) const {
  constexpr std::size_t kLooked = 24;
  const auto size = long(shift.axis.size);
  const long begin = std::max(long(shift.first), shift.by > 0 ? long(shift.first) + shift.by : 0),
             end = std::min(size, size + shift.by);
  if (begin >= end) return false;
  const Pair& pair = pairs_.all[pairs_.differs.front()];
  const auto differs = [&](std::size_t at, long slice) {
    const double fed = pair.fed[at],
                 made = pair.wanted[shift.axis.moved(at, std::size_t(slice - shift.by))];
    return !(std::abs(made - fed) <= pairs_.slack) && !std::isnan(made);
  };
  for (std::size_t k = 0; k < kLooked; ++k) {
    const long slice = begin + (end - begin - 1) * long(k) / long(kLooked - 1);
    const std::size_t o = k % shift.axis.outer, i = (k * 7) % shift.axis.inner;
    if (differs(shift.axis.place(o, std::size_t(slice), i), slice)) return false;
  }
  return std::none_of(rare_.begin(), rare_.end(), [&](std::size_t at) {
    const auto slice = long(shift.axis.slice(at));
    return slice >= begin && slice < end && differs(at, slice);
  });
}

std::optional<Shift> ShiftSearch::along(const Axis& axis, std::size_t first) {
  for (std::size_t by = 1; left_ > 0 && by <= (axis.size - first) / 2; ++by)
    for (const long way : {long(by), -long(by)}) {
      const Shift shift{axis, first, way, by * axis.outer * axis.inner};
      if (could_fit(shift) && fits(shift)) return shift;
    }
  return std::nullopt;
}

std::string worded(const Shift& shift) {
  const auto by = std::size_t(std::abs(shift.by));
  const std::string some = shift.axis.counted_names(by);
  if (shift.first > 0)
    return shift.by < 0 ? "lacks " + some + " from " + shift.axis.name(shift.first) +
                              " on; at its end stand others"
                        : "has " + some + " too many from " + shift.axis.name(shift.first) + " on";
  return "is shifted by " + some + " towards the " + (shift.by > 0 ? "end" : "beginning") +
         "; its " + (shift.by > 0 ? "first " : "last ") + some + (by == 1 ? " is" : " are") +
         " not the reference's";
}

}  // namespace

std::optional<Change> shifted(const Pairs& pairs) {
  const Where where = where_of(pairs);
  std::vector<Axis> axes = all_axes(pairs.shape);
  if (axes.size() > 1) axes.push_back({0, 1, pairs.values(), 1, 1});  // Shifts across row ends.
  ShiftSearch search(pairs);
  std::optional<Shift> best;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    std::vector<std::size_t> firsts{0};
    if (k < where.spans.size() && where.spans[k].from > 0) firsts = {where.spans[k].from};
    for (const std::size_t first : firsts)
      if (const auto shift = search.along(axes[k], first);
          shift && (!best || shift->open < best->open))
        best = shift;
  }
  if (!best) return std::nullopt;
  return Change{CauseKind::kWindow, worded(*best)};
}

}  // namespace edgeprobe::diagnose::tensors
