// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "diagnose/tensors/axes.h"
#include "diagnose/tensors/changes.h"

namespace edgeprobe::diagnose::tensors {
namespace {

/// Largest padding after a row, in values; minimum fraction of values that a change must predict.
constexpr std::size_t kMostPadding = 64;
constexpr double kLeastJudged = 0.5;

bool are_equal(const Pairs& pairs, const Pair& pair, const Axis& axis, std::size_t a,
               std::size_t b) {
  for (std::size_t o = 0; o < axis.outer; ++o)
    for (std::size_t i = 0; i < axis.inner; ++i)
      if (!(std::abs(double(pair.wanted[axis.place(o, a, i)]) -
                     double(pair.wanted[axis.place(o, b, i)])) <= pairs.same))
        return false;
  return true;
}

// Number of equal slices at an end of the reference's input.
std::size_t run_at(const Pairs& pairs, const Pair& pair, const Axis& axis, bool at_end) {
  std::size_t run = 1;
  while (run < axis.size &&
         (at_end ? are_equal(pairs, pair, axis, axis.size - 1, axis.size - 1 - run)
                 : are_equal(pairs, pair, axis, 0, run)))
    ++run;
  return run;
}

}  // namespace

std::optional<Change> moved_padding(const Pairs& pairs) {
  for (const Axis& axis : all_axes(pairs.shape))
    for (const bool at_end : {true, false}) {
      std::vector<std::size_t> runs(pairs.all.size(), 0);
      for (const std::size_t at : pairs.differs)
        runs[at] = run_at(pairs, pairs.all[at], axis, at_end);
      const bool fits = reproduces(pairs, 1, [&](std::size_t at, std::size_t i) {
        const std::size_t slice = axis.slice(i), run = runs[at], rest = axis.size - run;
        const std::size_t from = at_end ? (slice + rest) % axis.size : (slice + run) % axis.size;
        return pairs.all[at].wanted[axis.moved(i, from)];
      });
      if (fits)
        return Change{CauseKind::kLayout,
                      std::string("holds its padding ") + (at_end ? "in front" : "at the end") +
                          ", the reference's " + (at_end ? "at the end" : "in front") +
                          ": what each frame holds is moved by its own number of " + axis.names()};
    }
  return std::nullopt;
}

std::optional<Change> padded_rows(const Pairs& pairs) {
  const std::vector<std::size_t> axes = axes_of(pairs.shape);
  if (axes.size() < 2) return std::nullopt;
  // A row spans all axes inside this one.
  std::size_t row = 1;
  for (std::size_t k = axes.size(); k-- > 1;) {
    row *= axes[k];
    for (std::size_t more = 1; more <= std::min(row, kMostPadding); ++more) {
      const std::size_t stride = row + more;
      const bool found = reproduces(pairs, kLeastJudged, [&](std::size_t at, std::size_t i) {
        const std::size_t column = i % stride;
        return column < row ? pairs.all[at].wanted[i / stride * row + column] : kNotJudged;
      });
      if (found)
        return Change{CauseKind::kLayout, "holds rows of " + std::to_string(stride) + " values, " +
                                              std::to_string(more) + " more than the model's " +
                                              std::to_string(row) +
                                              ": padding after each row of the app's buffer"};
    }
  }
  return std::nullopt;
}

}  // namespace edgeprobe::diagnose::tensors
