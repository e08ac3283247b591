// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "preprocess/picture/values.h"

namespace edgeprobe::preprocess {
namespace {

using Affine = std::array<std::array<double, 4>, 3>;  ///< Rows of factors and a constant.

struct Luma {
  double red, green, blue;
};
Luma luma_of(ColorMatrix matrix) {
  if (matrix == ColorMatrix::kBt709) return {0.2126, 0.7152, 0.0722};
  return {0.299, 0.587, 0.114};
}

/// R, G, B 0..255 to the stored bytes Y, U, V.
Affine encoder(ColorMatrix matrix, bool limited) {
  const auto [r, g, b] = luma_of(matrix);
  const double y = limited ? 219.0 / 255 : 1, c = limited ? 224.0 / 255 : 1;
  const double u = c / (2 * (1 - b)), v = c / (2 * (1 - r));
  return {{{y * r, y * g, y * b, limited ? 16.0 : 0.0},
           {-u * r, -u * g, u * (1 - b), 128},
           {v * (1 - r), -v * g, -v * b, 128}}};
}

Affine decoder(ColorMatrix matrix, bool limited) {
  const auto [r, g, b] = luma_of(matrix);
  const double y = limited ? 255.0 / 219 : 1, c = limited ? 255.0 / 224 : 1;
  const double u = 2 * (1 - b) * c, v = 2 * (1 - r) * c, black = limited ? -16 * y : 0;
  return {{{y, 0, v, black - 128 * v},
           {y, -u * b / g, -v * r / g, black + 128 * (u * b + v * r) / g},
           {y, u, 0, black - 128 * u}}};
}

std::array<double, 3> mapped(const Affine& m, const std::array<double, 3>& x) {
  std::array<double, 3> out{};
  for (std::size_t i = 0; i < 3; ++i)
    out[i] = m[i][0] * x[0] + m[i][1] * x[1] + m[i][2] * x[2] + m[i][3];
  return out;
}

}  // namespace

Affine recode_matrix(const Recode& step) {
  Affine encode = encoder(step.encode, step.encode_limited);
  if (step.chroma_swapped) std::swap(encode[1], encode[2]);
  const Affine decode = decoder(step.decode, step.decode_limited);
  Affine both{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      both[i][j] = decode[i][0] * encode[0][j] + decode[i][1] * encode[1][j] +
                   decode[i][2] * encode[2][j] + (j == 3 ? decode[i][3] : 0);
  return both;
}

Status matrix(Raster& raster, const Matrix& step) {
  for (std::size_t i = 0; i + 3 <= raster.values.size(); i += 3) {
    const double rgb[3] = {double(raster.values[i]), double(raster.values[i + 1]),
                           double(raster.values[i + 2])};
    for (std::size_t c = 0; c < 3; ++c) {
      const double sum = step.rows[3 * c] * rgb[0] + step.rows[3 * c + 1] * rgb[1] +
                         step.rows[3 * c + 2] * rgb[2] +
                         step.offset[step.offset.size() == 1 ? 0 : c];
      const float value = float(step.rounding == Rounding::kUint8 ? whole(sum) : sum);
      if (!std::isfinite(value))
        return Error{ErrorKind::kUsage, "the matrix makes numbers beyond float's range"};
      raster.values[i + c] = value;
    }
  }
  return {};
}

void recode(Raster& raster, const Recode& step, ChannelOrder order) {
  Affine encode = encoder(step.encode, step.encode_limited);
  if (step.chroma_swapped) std::swap(encode[1], encode[2]);
  const Affine decode = decoder(step.decode, step.decode_limited), both = recode_matrix(step);
  const auto which = channels_of(order);
  const std::size_t channels = std::size_t(raster.channels);
  for (std::size_t i = 0; i + channels <= raster.values.size(); i += channels) {
    std::array<double, 3> rgb{};
    for (std::size_t c = 0; c < 3; ++c)
      rgb[which[c]] = double(raster.values[i + (channels == 1 ? 0 : c)]);
    if (step.round == Recode::Round::kYuv8) {
      auto yuv = mapped(encode, rgb);
      for (double& v : yuv) v = whole(v);
      rgb = mapped(decode, yuv);
    } else {
      rgb = mapped(both, rgb);
    }
    for (std::size_t c = 0; c < channels; ++c) {
      const double v = rgb[channels == 1 ? 1 : std::size_t(which[c])];
      raster.values[i + c] = float(step.round == Recode::Round::kFloat ? v : whole(v));
    }
  }
}

}  // namespace edgeprobe::preprocess
