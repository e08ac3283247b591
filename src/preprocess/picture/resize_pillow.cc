// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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

Image pass_columns(const Image& in, const BandedMatrix& matrix) {
  const std::vector<std::int32_t> weights = fixed_weights(matrix);
  const int channels = in.channels;
  Image out{in.height, matrix.out, channels, {}};
  out.pixels.resize(std::size_t(out.height) * out.width * channels);
  std::uint8_t* target = out.pixels.data();
  for (int y = 0; y < in.height; ++y) {
    const std::uint8_t* row = in.pixels.data() + std::size_t(y) * in.width * channels;
    for (int x = 0; x < matrix.out; ++x) {
      const std::uint8_t* tap = row + std::size_t(matrix.first[x]) * channels;
      const std::int32_t* weight = weights.data() + std::size_t(x) * matrix.taps;
      for (int c = 0; c < channels; ++c) {
        std::int32_t sum = 1 << (kBits - 1);
        for (int k = 0; k < matrix.taps; ++k) sum += tap[k * channels + c] * weight[k];
        *target++ = clip(sum);
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
