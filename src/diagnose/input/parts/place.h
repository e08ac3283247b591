// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/input/parts/recorded_pictures.h"

namespace edgeprobe::diagnose {

/// The middle one, the upper of two; some values at least.
float median(std::vector<float> values);

/// Which values of each kept picture are not the reference's: 1, in the order of `fed`.
using Unequal = std::vector<std::vector<std::uint8_t>>;
Unequal unequal_values(const RecordedPictures& recorded);

/// First and last of the lines that hold a difference; several where equal ones lie between them.
struct Lines {
  std::size_t first = 0, last = 0;
};

/// The lines of one picture from the first to the last that hold a 1 of `mask`.
struct Box {
  std::size_t top = 0, left = 0, bottom = 0, right = 0;  ///< The last two lie one after the last.

  bool is_empty() const { return bottom <= top; }
  double area() const { return double(bottom - top) * double(right - left); }
  bool holds(std::size_t y, std::size_t x) const {
    return y >= top && y < bottom && x >= left && x < right;
  }
};
Box box_of(const PictureLayout& layout, const std::vector<std::uint8_t>& mask);

/// Where the unequal values of all kept pictures lie.
struct Place {
  double share = 0;                   ///< Of the values, in these pictures.
  std::vector<Lines> rows, columns;   ///< Empty: no line stands out.
  std::vector<std::size_t> channels;  ///< Empty: in all of them.
  double filled = 0;                  ///< Share of the values there that are unequal.
  /// In each picture another part of these lines is unequal, by more than chance equality makes.
  bool moves = false;

  bool is_part() const { return !rows.empty() || !columns.empty() || !channels.empty(); }
};
Place place_of(const RecordedPictures& recorded, const Unequal& unequal);

/// The value of each channel with which the reference fills all that is unequal, such as the bars
/// of a letterbox; nothing when it shows more of its picture there.
std::optional<std::vector<float>> filled_by_reference(const RecordedPictures& recorded,
                                                      const Unequal& unequal);
/// "0.2", or "0.1/0.2/0.3" where channels have their own.
std::string fill_text(const std::vector<float>& fill);

/// "rows 48 to 63 of 64", "the red channel, columns 0 to 7 of 64"; empty when it is everywhere.
std::string place_text(const RecordedPictures& recorded, const Place& place);

}  // namespace edgeprobe::diagnose
