// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "diagnose/preprocessing/model/reference.h"

namespace edgeprobe::diagnose {

/// For each stored value, its index in the reference's values in memory order; -1 where any value
/// may be.
using Places1D = std::vector<std::int32_t>;

}  // namespace edgeprobe::diagnose

/// Possible layouts of values in memory, as places in the reference's memory.
namespace edgeprobe::diagnose::memory {

/// The input as rows of values in memory: whole rows of an interleaved picture, or rows of planes.
struct Rows {
  int count = 0, length = 0, pixel = 1;
};
Rows rows_of(const Reference& r);

using Axes = std::array<int, 3>;  ///< 0 height, 1 width, 2 channel; outermost first.
Places1D in_axes(const Reference& r, const Axes& axes);
std::string axes_text(const Axes& axes);

/// Picture row y shows the reference's row `row(y)`.
Places1D by_rows(const Reference& r, const std::function<int(int)>& row);
Places1D late_by(const Reference& r, int by);
/// Rows are read with a stride that is `more` values too long: row y begins at y (length + more).
Places1D read_apart(const Reference& r, int more);
/// Rows are written with `more` values of padding after each, and read without it.
Places1D written_apart(const Reference& r, int more);

/// Converts places in an interleaved picture to places in the reference's memory: an app may fill
/// pixels first and split them into planes later.
Places1D of_pixels(const Reference& r, const Places1D& pixels);
/// Every pixel is written with a fourth value before or after its three, and read without it.
Places1D with_fourth(const Reference& r, bool first);
/// Every value is written several times in a row.
Places1D repeated(const Reference& r, int times);
/// The tiles are written one after another.
Places1D in_tiles(const Reference& r, int side);
/// Memory rotated by `by` values: begins later and continues with its beginning.
Places1D turned_by(std::size_t n, std::size_t by);

}  // namespace edgeprobe::diagnose::memory
