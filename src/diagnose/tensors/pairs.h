// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/tensor.h"

/// Recorded model inputs beside the reference's, without a recipe: which one change makes these of
/// those?
namespace edgeprobe::diagnose::tensors {

/// One model input of one frame. Codes as whole numbers where Pairs has codes, else real values.
struct Pair {
  std::uint32_t frame = 0;
  bool begins = false;  ///< The first of a sequence.
  std::vector<float> wanted, fed;
};
/// The codes of a quantised input; both sides hold them.
struct Codes {
  double scale = 0, zero = 0;  ///< Scale 0: whole numbers of 8 or 16 bits without one.
  double least = 0, most = 0;
};
struct Pairs {
  Shape shape;                 ///< The reference's.
  DType type = DType::kOther;  ///< In which the target stores them.
  std::optional<Codes> codes;
  double same = 0;                   ///< Two values are one up to this distance.
  double slack = 0;                  ///< A change reproduces a value up to this distance.
  std::vector<Pair> all;             ///< By frame; all of the shape's size.
  std::vector<std::size_t> differs;  ///< Those of them that differ, ascending.
  std::size_t left_out = 0;          ///< Frames of other sizes.

  std::size_t values() const { return all.empty() ? 0 : all.front().wanted.size(); }
};

/// Finds the frames that differ and says how near is near: real values by their range, and by
/// `least` at the least. Frames of other sizes are left out.
Pairs paired(std::vector<Pair> all, const Shape& shape, DType type,
             const std::optional<Codes>& codes, double least);

/// Sizes of the axes that are longer than 1, outermost first.
std::vector<std::size_t> axes_of(const Shape& shape);

/// Made by a change that says nothing of that place.
inline constexpr float kNotJudged = std::numeric_limits<float>::quiet_NaN();

/// Whether `made(pair, place)` is what was fed, in all frames that differ: each value that is
/// judged, at least `judged` of all, and far better than the reference's own value.
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
