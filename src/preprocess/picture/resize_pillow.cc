// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>

#include "preprocess/picture/resize.h"

// Pillow resizes 8-bit images in two passes, each with weights of 22 fractional bits and rounded to
// 8 bits; it skips a pass that would not change the size. The order matters because of the rounding
// in between.
namespace edgeprobe::preprocess {
namespace {

constexpr int kBits = 22;

std::vector<std::int32_t> fixed_weights(const BandedMatrix& matrix) {
  std::vector<std::int32_t> fixed(matrix.weight.size());
  std::transform(matrix.weight.begin(), matrix.weight.end(), fixed.begin(), [](double weight) {
    return std::int32_t(weight * (1 << kBits) + (weight < 0 ? -0.5 : 0.5));
  });
  return fixed;
}

std::uint8_t clip(std::int32_t sum) { return std::uint8_t(std::clamp(sum >> kBits, 0, 255)); }

/// Rows of a strip: as many columns of it as fit into a processor's nearest cache.
constexpr int kStrip = 64;

/// Works on strips of rows that are turned, so that one weight applies to neighbours in memory.
Image pass_columns(const Image& in, const BandedMatrix& matrix) {
  const std::vector<std::int32_t> weights = fixed_weights(matrix);
  const std::size_t channels = std::size_t(in.channels), in_row = std::size_t(in.width) * channels,
                    out_row = std::size_t(matrix.out) * channels;
  Image out{in.height, matrix.out, in.channels, {}};
  out.pixels.resize(std::size_t(out.height) * out_row);
  std::vector<std::uint8_t> turned(in_row * kStrip);
  for (int top = 0; top < in.height; top += kStrip) {
    const std::size_t rows = std::size_t(std::min(kStrip, in.height - top));
    const std::uint8_t* const from = in.pixels.data() + std::size_t(top) * in_row;
    for (std::size_t i = 0; i < in_row; ++i)
      for (std::size_t y = 0; y < rows; ++y) turned[i * kStrip + y] = from[y * in_row + i];
    std::uint8_t* const to = out.pixels.data() + std::size_t(top) * out_row;
    for (std::size_t x = 0; x < std::size_t(matrix.out); ++x) {
      const std::int32_t* const weight = weights.data() + x * std::size_t(matrix.taps);
      for (std::size_t c = 0; c < channels; ++c) {
        std::array<std::int32_t, kStrip> sum;
        sum.fill(1 << (kBits - 1));
        for (int k = 0; k < matrix.taps; ++k) {
          const std::size_t column = std::size_t(matrix.first[x] + k) * channels + c;
          const std::uint8_t* const tap = turned.data() + column * kStrip;
          for (std::size_t y = 0; y < kStrip; ++y) sum[y] += tap[y] * weight[k];
        }
        for (std::size_t y = 0; y < rows; ++y) to[y * out_row + x * channels + c] = clip(sum[y]);
      }
    }
  }
  return out;
}

Image pass_rows(const Image& in, const BandedMatrix& matrix) {
  const std::vector<std::int32_t> weights = fixed_weights(matrix);
  const std::size_t row_size = std::size_t(in.width) * in.channels;
  Image out{matrix.out, in.width, in.channels, {}};
  out.pixels.resize(std::size_t(out.height) * row_size);
  std::vector<std::int32_t> sum(row_size);
  for (int y = 0; y < matrix.out; ++y) {
    std::fill(sum.begin(), sum.end(), 1 << (kBits - 1));
    for (int k = 0; k < matrix.taps; ++k) {
      const std::int32_t weight = weights[std::size_t(y) * matrix.taps + k];
      if (weight == 0) continue;
      const std::uint8_t* row = in.pixels.data() + std::size_t(matrix.first[y] + k) * row_size;
      for (std::size_t i = 0; i < row_size; ++i) sum[i] += row[i] * weight;
    }
    std::transform(sum.begin(), sum.end(), out.pixels.begin() + std::ptrdiff_t(y * row_size), clip);
  }
  return out;
}

}  // namespace

bool pillow_height_first(int height, int width, int new_height, int new_width) {
  // Found by trying sizes on Pillow 13.0.0; Pillow 10.4, 12.0 and 12.3 process the width first for
  // all of them.
  return height - new_height > 2 * std::max(width - new_width, 0);
}

Image resize_pillow(const Image& image, const Resizer& resizer, bool width_first) {
  const bool rows = resizer.rows.in != resizer.rows.out,
             columns = resizer.columns.in != resizer.columns.out;
  Image out = image;
  if (rows && !width_first) out = pass_rows(out, resizer.rows);
  if (columns) out = pass_columns(out, resizer.columns);
  if (rows && width_first) out = pass_rows(out, resizer.rows);
  return out;
}

}  // namespace edgeprobe::preprocess
