// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/answer/memory_places.h"

#include <algorithm>

namespace edgeprobe::diagnose::memory {

Rows rows_of(const Reference& r) {
  if (r.order == Order::kChw) return {r.channels * r.height, r.width, 1};
  return {r.height, r.width * r.channels, r.channels};
}

namespace {

std::int32_t at(const Reference& r, int y, int x, int c) {
  return std::int32_t(r.order == Order::kChw ? (c * r.height + y) * r.width + x
                                             : (y * r.width + x) * r.channels + c);
}

}  // namespace

Places1D in_axes(const Reference& r, const Axes& axes) {
  const std::array<int, 3> size = {r.height, r.width, r.channels};
  Places1D out;
  out.reserve(std::size_t(r.height) * std::size_t(r.width) * std::size_t(r.channels));
  std::array<int, 3> i{};
  for (i[std::size_t(axes[0])] = 0; i[std::size_t(axes[0])] < size[std::size_t(axes[0])];
       ++i[std::size_t(axes[0])])
    for (i[std::size_t(axes[1])] = 0; i[std::size_t(axes[1])] < size[std::size_t(axes[1])];
         ++i[std::size_t(axes[1])])
      for (i[std::size_t(axes[2])] = 0; i[std::size_t(axes[2])] < size[std::size_t(axes[2])];
           ++i[std::size_t(axes[2])])
        out.push_back(at(r, i[0], i[1], i[2]));
  return out;
}

std::string axes_text(const Axes& axes) {
  static constexpr const char* kNames[] = {"height", "width", "channel"};
  return std::string(kNames[axes[0]]) + ", " + kNames[axes[1]] + ", " + kNames[axes[2]];
}

Places1D by_rows(const Reference& r, const std::function<int(int)>& row) {
  Places1D out(std::size_t(r.height) * std::size_t(r.width) * std::size_t(r.channels));
  for (int y = 0; y < r.height; ++y)
    for (int x = 0; x < r.width; ++x)
      for (int c = 0; c < r.channels; ++c) out[std::size_t(at(r, y, x, c))] = at(r, row(y), x, c);
  return out;
}

Places1D late_by(const Reference& r, int by) {
  const int n = r.height * r.width * r.channels;
  Places1D out(std::size_t(n), -1);
  for (int i = std::max(0, by); i < std::min(n, n + by); ++i) out[std::size_t(i)] = i - by;
  return out;
}

Places1D read_apart(const Reference& r, int more) {
  const Rows rows = rows_of(r);
  const int n = rows.count * rows.length;
  Places1D out(std::size_t(n), -1);
  for (int i = 0; i < n; ++i) {
    const int from = i / rows.length * (rows.length + more) + i % rows.length;
    if (from >= 0 && from < n) out[std::size_t(i)] = from;
  }
  return out;
}

Places1D written_apart(const Reference& r, int more) {
  const Rows rows = rows_of(r);
  const int n = rows.count * rows.length, stride = rows.length + more;
  Places1D out(std::size_t(n), -1);
  for (int i = 0; i < n; ++i)
    if (i % stride < rows.length && i / stride < rows.count)
      out[std::size_t(i)] = i / stride * rows.length + i % stride;
  return out;
}

Places1D of_pixels(const Reference& r, const Places1D& pixels) {
  if (r.order != Order::kChw) return pixels;
  const auto place = [&](std::int32_t i) {
    return at(r, int(i / r.channels) / r.width, int(i / r.channels) % r.width, int(i % r.channels));
  };
  Places1D out(pixels.size(), -1);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    if (pixels[i] >= 0) out[std::size_t(place(std::int32_t(i)))] = place(pixels[i]);
  return out;
}

Places1D with_fourth(const Reference& r, bool first) {
  Places1D out(std::size_t(r.height) * std::size_t(r.width) * 3, -1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t c = (i + (first ? 3 : 0)) % 4;
    if (c < 3) out[i] = std::int32_t((i / 4) * 3 + c);
  }
  return out;
}

Places1D repeated(const Reference& r, int times) {
  Places1D out(std::size_t(r.height) * std::size_t(r.width) * std::size_t(r.channels));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::int32_t(i / std::size_t(times));
  return out;
}

Places1D in_tiles(const Reference& r, int side) {
  Places1D out;
  for (int top = 0; top < r.height; top += side)
    for (int left = 0; left < r.width; left += side)
      for (int y = top; y < top + side; ++y)
        for (int x = left; x < left + side; ++x)
          for (int c = 0; c < r.channels; ++c)
            out.push_back(std::int32_t((y * r.width + x) * r.channels + c));
  return out;
}

Places1D turned_by(std::size_t n, std::size_t by) {
  Places1D out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = std::int32_t((i + by) % n);
  return out;
}

}  // namespace edgeprobe::diagnose::memory
