// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/tensor.h"

/// Compares recorded model inputs with the reference's without a recipe: which single change turns
/// one into the other?
namespace edgeprobe::diagnose::tensors {

/// One model input of one frame: codes as whole numbers if Pairs has codes, else real values.
struct Pair {
  std::uint32_t frame = 0;
  bool begins = false;  ///< The first frame of a sequence.
  std::vector<float> wanted, fed;
};
/// Codes of an input that is quantised on both sides.
struct Codes {
  double scale = 0, zero = 0;  ///< Scale 0: whole numbers of 8 or 16 bits without a scale.
  double least = 0, most = 0;
};
struct Pairs {
  Shape shape;                 ///< The reference's shape.
  DType type = DType::kOther;  ///< Type in which the target stores them.
  std::optional<Codes> codes;
  double same = 0;                   ///< Values up to this distance count as equal.
  double slack = 0;                  ///< A change reproduces a value up to this distance.
  std::vector<Pair> all;             ///< Sorted by frame; all have the shape's size.
  std::vector<std::size_t> differs;  ///< Indices of frames that differ, ascending.
  std::size_t left_out = 0;          ///< Number of frames with other sizes.

  std::size_t values() const { return all.empty() ? 0 : all.front().wanted.size(); }
};

/// Finds the frames that differ and sets the tolerances: for real values by their range, but at
/// least `least`. Leaves out frames of other sizes.
Pairs paired(std::vector<Pair> all, const Shape& shape, DType type,
             const std::optional<Codes>& codes, double least);

/// Sizes of the axes that are longer than 1, outermost first.
std::vector<std::size_t> axes_of(const Shape& shape);

/// Returned by a change that does not predict this value.
inline constexpr float kNotJudged = std::numeric_limits<float>::quiet_NaN();

/// True if `made(pair, place)` reproduces the fed values in all differing frames: every judged
/// value, at least the fraction `judged` of all, and much better than the reference's own values.
template <class Made>
bool reproduces(const Pairs& pairs, double judged, const Made& made) {
  double left = 0, before = 0;
  std::size_t count = 0, all = 0;
  for (const std::size_t at : pairs.differs) {
    const Pair& pair = pairs.all[at];
    for (std::size_t i = 0; i < pair.fed.size(); ++i) {
      ++all;
      const float value = made(at, i);
      if (std::isnan(value)) continue;
      const double off = double(value) - double(pair.fed[i]);
      if (!(std::abs(off) <= pairs.slack)) return false;
      const double own = double(pair.wanted[i]) - double(pair.fed[i]);
      ++count;
      left += off * off;
      before += std::isfinite(own) ? own * own : 1;
    }
  }
  constexpr std::size_t kFewest = 12;
  constexpr double kMostLeft = 0.01;
  return count >= kFewest && double(count) >= judged * double(all) && before > 0 &&
         left <= kMostLeft * before;
}

}  // namespace edgeprobe::diagnose::tensors
