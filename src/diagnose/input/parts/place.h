// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/input/parts/recorded_pictures.h"

namespace edgeprobe::diagnose {

/// The median, the upper one of two; `values` must not be empty.
float median(std::vector<float> values);

/// Marks with 1 the values of each kept picture that differ from the reference's, in the order of
/// `fed`.
using Unequal = std::vector<std::vector<std::uint8_t>>;
Unequal unequal_values(const RecordedPictures& recorded);

/// First and last of a run of differing lines; equal lines separate runs.
struct Lines {
  std::size_t first = 0, last = 0;
};

/// Bounding box of the pixels that `mask` marks with 1.
struct Box {
  std::size_t top = 0, left = 0, bottom = 0, right = 0;  ///< Bottom and right are exclusive.

  bool is_empty() const { return bottom <= top; }
  double area() const { return double(bottom - top) * double(right - left); }
  bool holds(std::size_t y, std::size_t x) const {
    return y >= top && y < bottom && x >= left && x < right;
  }
};
Box box_of(const PictureLayout& layout, const std::vector<std::uint8_t>& mask);

/// Location of the unequal values in all kept pictures.
struct Place {
  double share = 0;                   ///< Fraction of unequal values in these pictures.
  std::vector<Lines> rows, columns;   ///< Empty: no line stands out.
  std::vector<std::size_t> channels;  ///< Empty: all channels.
  double filled = 0;                  ///< Fraction of unequal values among those in this place.
  /// The unequal part of these lines changes from picture to picture, by more than chance equality.
  bool moves = false;

  bool is_part() const { return !rows.empty() || !columns.empty() || !channels.empty(); }
};
Place place_of(const RecordedPictures& recorded, const Unequal& unequal);

/// Per-channel value with which the reference fills all that is unequal, such as the bars of a
/// letterbox; nothing if the reference shows its picture there.
std::optional<std::vector<float>> filled_by_reference(const RecordedPictures& recorded,
                                                      const Unequal& unequal);
/// "0.2", or "0.1/0.2/0.3" if channels have different values.
std::string fill_text(const std::vector<float>& fill);

/// "rows 48 to 63 of 64", "the red channel, columns 0 to 7 of 64"; empty if it covers everything.
std::string place_text(const RecordedPictures& recorded, const Place& place);

}  // namespace edgeprobe::diagnose
