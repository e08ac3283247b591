// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "diagnose/input/parts/parts.h"

namespace edgeprobe::diagnose {
namespace {

/// Fraction of the values outside the picture that must be explained.
constexpr double kNearlyAll = 0.995;

/// Maps a line outside the picture to the line it is copied from; `at` counts from the picture's
/// first line.
using Source = std::ptrdiff_t (*)(std::ptrdiff_t at, std::ptrdiff_t length);

std::ptrdiff_t clamped(std::ptrdiff_t at, std::ptrdiff_t length) {
  return std::clamp<std::ptrdiff_t>(at, 0, length - 1);
}

std::ptrdiff_t wrapped(std::ptrdiff_t at, std::ptrdiff_t length) {
  return (at % length + length) % length;
}

std::ptrdiff_t mirrored(std::ptrdiff_t at, std::ptrdiff_t length) {
  const std::ptrdiff_t in_two = wrapped(at, 2 * length);
  return std::min(in_two, 2 * length - 1 - in_two);
}

std::ptrdiff_t mirrored_at_centre(std::ptrdiff_t at, std::ptrdiff_t length) {
  const std::ptrdiff_t in_two = wrapped(at, std::max<std::ptrdiff_t>(2 * length - 2, 1));
  return std::min(in_two, std::max<std::ptrdiff_t>(2 * length - 2, 1) - in_two);
}

struct Way {
  Source source;
  const char* words;
};
constexpr std::array kWays{
    Way{clamped, "the last row or column of the picture over and over"},
    Way{mirrored, "the picture mirrored, its last row or column twice"},
    Way{mirrored_at_centre, "the picture mirrored about its last row or column"},
    Way{wrapped, "the picture again, from its other side"},
};

/// The box of a picture inside the reference's bars, which are lines of the fill value; nothing if
/// there are no bars, or only bars.
std::optional<Box> inner_of(const RecordedPictures& recorded, const RecordedPicture& one,
                            const std::vector<float>& fill) {
  const PictureLayout& l = recorded.layout;
  std::vector<std::uint8_t> mask(one.wanted.size());
  for (std::size_t i = 0; i < mask.size(); ++i)
    mask[i] = std::abs(one.wanted[i] - fill[i % l.channels]) > 0.02 * recorded.unit;
  const Box inner = box_of(l, mask);
  const bool has_bars = inner.area() < double(l.height * l.width);
  return has_bars && !inner.is_empty() ? std::optional(inner) : std::nullopt;
}

/// True if nearly all values outside the picture come from `source`.
bool fits(const RecordedPictures& recorded, const RecordedPicture& one, const Box& inner,
          Source source) {
  const PictureLayout& l = recorded.layout;
  const auto taken_from = [&](std::size_t first, std::size_t end, std::size_t at) {
    return first + std::size_t(source(std::ptrdiff_t(at) - std::ptrdiff_t(first),
                                      std::ptrdiff_t(end - first)));
  };
  std::size_t all = 0, right = 0;
  for (std::size_t y = 0; y < l.height; ++y)
    for (std::size_t x = 0; x < l.width; ++x) {
      if (inner.holds(y, x)) continue;
      const std::size_t from_y = taken_from(inner.top, inner.bottom, y),
                        from_x = taken_from(inner.left, inner.right, x);
      for (std::size_t c = 0; c < l.channels; ++c, ++all)
        right += std::abs(double(one.fed[l.at(y, x, c)]) -
                          double(one.fed[l.at(from_y, from_x, c)])) <= recorded.near;
    }
  return double(right) >= kNearlyAll * double(all);
}

}  // namespace

std::optional<InputFault> borders(const RecordedPictures& recorded, const Unequal& unequal) {
  const auto fill = filled_by_reference(recorded, unequal);
  if (!fill) return std::nullopt;
  std::vector<bool> holds(kWays.size(), true);
  std::size_t told = 0;
  for (const RecordedPicture& one : recorded.pictures) {
    const auto inner = inner_of(recorded, one, *fill);
    if (!inner) continue;
    ++told;
    for (std::size_t k = 0; k < kWays.size(); ++k)
      holds[k] = holds[k] && fits(recorded, one, *inner, kWays[k].source);
  }
  const auto way = std::find(holds.begin(), holds.end(), true);
  if (told == 0 || 2 * told < recorded.pictures.size() || way == holds.end()) return std::nullopt;
  InputFault fault;
  fault.kind = CauseKind::kCrop;
  fault.detail = "the app fills the bars with " +
                 std::string(kWays[std::size_t(way - holds.begin())].words) +
                 "; the reference fills them with " + fill_text(*fill);
  return fault;
}

}  // namespace edgeprobe::diagnose
