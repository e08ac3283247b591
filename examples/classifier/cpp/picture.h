// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// RGB, 8 bits, row by row, no padding.
struct Picture {
  int height = 0;
  int width = 0;
  std::vector<std::uint8_t> rgb;

  std::uint8_t* at(int y, int x) {
    return rgb.data() + (std::size_t(y) * std::size_t(width) + std::size_t(x)) * 3;
  }
  const std::uint8_t* at(int y, int x) const { return const_cast<Picture*>(this)->at(y, x); }
};

inline Picture blank(int height, int width, std::uint8_t level = 0) {
  return {height, width,
          std::vector<std::uint8_t>(std::size_t(height) * std::size_t(width) * 3, level)};
}

/// Reads a JPEG or PNG file.
std::optional<Picture> load_picture(const std::string& path);
