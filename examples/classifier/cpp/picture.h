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
};

/// Reads a JPEG or PNG file.
std::optional<Picture> load_picture(const std::string& path);
