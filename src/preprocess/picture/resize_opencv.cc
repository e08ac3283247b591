// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "preprocess/picture/resize.h"

// OpenCV's 8-bit resize. Bilinear and Lanczos use weights of 11 fractional bits, with integer sums
// along the width and separate rounding along the height; area and bicubic use float, with ties to
// even (cvRound).
namespace edgeprobe::preprocess {
namespace {

constexpr int kMostTaps = 8;
constexpr double kOne = 2048.0;

/// Taps first..first+n-1 of one output, which may lie outside the image.
struct Taps {
  int first = 0;
  std::array<std::int32_t, kMostTaps> weight{};
};

struct Axis {
  int in = 0, out = 0, taps = 2;
  std::vector<Taps> outputs;
};

std::array<double, kMostTaps> weights_of(const Resampling& resampling, float share) {
  std::array<double, kMostTaps> w{};
  if (resampling.kernel == Kernel::kLanczos4) {
    constexpr double kPi = 3.14159265358979323846;
    double sum = 0.0;
    for (int k = 0; k < 8; ++k) {
      const double x = kPi * (double(share) + 3 - k);
      w[k] = std::abs(x) < 1e-6 ? 1.0 : std::sin(x) * std::sin(x / 4) * 4 / (x * x);
      sum += w[k];
    }
    for (double& v : w) v /= sum;
  } else {
    w[0] = 1.0f - share;
    w[1] = share;
  }
  return w;
}

Axis fixed_axis(const Resampling& resampling, int in, int out, bool clamp) {
  const double inverse = double(out) / in, scale = 1.0 / inverse;
  Axis axis{in, out, 2, std::vector<Taps>(out)};
  if (resampling.kernel == Kernel::kLanczos4) axis.taps = 8;
  for (int i = 0; i < out; ++i) {
    int at = 0;
    float share = 0.0f;
    if (resampling.kernel == Kernel::kArea) {
      at = int(std::floor(i * scale));
      share = float((i + 1) - (at + 1) * inverse);
      share = share <= 0.0f ? 0.0f : share - std::floor(share);
    } else {
      share = float((i + 0.5) * scale - 0.5);
      at = int(std::floor(share));
      share -= float(at);
    }
    // Two-tap positions outside the image move to the border pixel only along the width; along the
    // height both taps read that row, which can round one lower.
    if (clamp && axis.taps == 2 && (at < 0 || at >= in - 1)) {
      at = std::clamp(at, 0, in - 1);
      share = 0.0f;
    }
    axis.outputs[i].first = at - axis.taps / 2 + 1;
    const auto weights = weights_of(resampling, share);
    for (int k = 0; k < axis.taps; ++k) {
      axis.outputs[i].weight[k] = std::int32_t(std::lrint(float(weights[k]) * float(kOne)));
    }
  }
  return axis;
}

std::uint8_t saturate(long value) { return std::uint8_t(std::clamp(value, 0L, 255L)); }

void sum_columns(const std::uint8_t* row, const Axis& axis, int channels, std::int32_t* out) {
  for (const Taps& taps : axis.outputs) {
    for (int c = 0; c < channels; ++c) {
      std::int32_t sum = 0;
      for (int k = 0; k < axis.taps; ++k) {
        sum += row[std::clamp(taps.first + k, 0, axis.in - 1) * channels + c] * taps.weight[k];
      }
      *out++ = sum;
    }
  }
}

using Rows = std::array<const std::int32_t*, kMostTaps>;

std::uint8_t fixed_point(const Rows& rows, const Taps& taps, int n, std::size_t i) {
  std::int64_t sum = 1 << 21;
  for (int k = 0; k < n; ++k) sum += std::int64_t(rows[k][i]) * taps.weight[k];
  return saturate(long(sum >> 22));
}

void sum_rows(const Rows& rows, const Taps& taps, int n, std::size_t size, std::uint8_t* out) {
  if (n == 2) {
    for (std::size_t i = 0; i < size; ++i) {
      const std::int32_t upper = (taps.weight[0] * (rows[0][i] >> 4)) >> 16;
      const std::int32_t lower = (taps.weight[1] * (rows[1][i] >> 4)) >> 16;
      out[i] = saturate((upper + lower + 2) >> 2);
    }
    return;
  }
  for (std::size_t i = 0; i < size; ++i) out[i] = fixed_point(rows, taps, n, i);
}

Image resize_fixed(const Image& image, int height, int width, const Resampling& resampling) {
  const Axis columns = fixed_axis(resampling, image.width, width, true);
  const Axis rows = fixed_axis(resampling, image.height, height, false);
  Image out{height, width, image.channels, {}};
  const std::size_t in_row = std::size_t(image.width) * image.channels;
  const std::size_t out_row = std::size_t(width) * image.channels;
  out.pixels.resize(out_row * height);
  // Ring buffer of summed rows: consecutive outputs share most of them.
  std::array<std::vector<std::int32_t>, kMostTaps> ring;
  std::array<int, kMostTaps> held;
  held.fill(-1);
  for (int y = 0; y < height; ++y) {
    const Taps& taps = rows.outputs[y];
    Rows sums{};
    for (int k = 0; k < rows.taps; ++k) {
      const int row = std::clamp(taps.first + k, 0, image.height - 1);
      const int slot = row % kMostTaps;
      if (held[slot] != row) {
        ring[slot].resize(out_row);
        sum_columns(image.pixels.data() + row * in_row, columns, image.channels, ring[slot].data());
        held[slot] = row;
      }
      sums[k] = ring[slot].data();
    }
    sum_rows(sums, taps, rows.taps, out_row, out.pixels.data() + y * out_row);
  }
  return out;
}

/// Whole factors along both axes: integer sum of each cell.
Image shrink_whole(const Image& image, int fy, int fx, int height, int width) {
  Image out{height, width, image.channels, {}};
  out.pixels.reserve(std::size_t(height) * width * image.channels);
  const float scale = 1.0f / float(fy * fx);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < image.channels; ++c) {
        std::int32_t sum = 0;
        for (int j = 0; j < fy; ++j) {
          const std::size_t row = std::size_t(y * fy + j) * image.width;
          for (int i = 0; i < fx; ++i) sum += image.pixels[(row + x * fx + i) * image.channels + c];
        }
        const bool two = fy == 2 && fx == 2;
        out.pixels.push_back(two ? saturate((sum + 2) >> 2)
                                 : saturate(std::lrint(float(sum) * scale)));
      }
    }
  }
  return out;
}

struct Share {
  int from = 0;
  float weight = 0;
};

/// Pixels and their shares in each cell; parts below a thousandth of a pixel are dropped without
/// renormalising.
std::vector<std::vector<Share>> area_shares(int in, int out) {
  const double scale = 1.0 / (double(out) / in);
  std::vector<std::vector<Share>> shares(out);
  for (int i = 0; i < out; ++i) {
    const double begin = i * scale, end = begin + scale;
    const double cell = std::min(scale, in - begin);
    const int last = std::min(int(std::floor(end)), in - 1);
    const int first = std::min(int(std::ceil(begin)), last);
    if (first - begin > 1e-3) shares[i].push_back({first - 1, float((first - begin) / cell)});
    for (int k = first; k < last; ++k) shares[i].push_back({k, float(1.0 / cell)});
    if (end - last > 1e-3) {
      shares[i].push_back({last, float(std::min(std::min(end - last, 1.0), cell) / cell)});
    }
  }
  return shares;
}

Image shrink_area(const Image& image, int height, int width) {
  const auto columns = area_shares(image.width, width), rows = area_shares(image.height, height);
  const int channels = image.channels;
  Image out{height, width, channels, {}};
  out.pixels.reserve(std::size_t(height) * width * channels);
  std::vector<float> sum(std::size_t(width) * channels);
  for (const auto& row : rows) {
    std::fill(sum.begin(), sum.end(), 0.0f);
    for (const Share& down : row) {
      const std::uint8_t* pixels =
          image.pixels.data() + std::size_t(down.from) * image.width * channels;
      float* target = sum.data();
      for (const auto& column : columns) {
        for (int c = 0; c < channels; ++c) {
          float across = 0.0f;
          for (const Share& share : column) {
            across += float(pixels[std::size_t(share.from) * channels + c]) * share.weight;
          }
          *target++ += down.weight * across;
        }
      }
    }
    for (float value : sum) out.pixels.push_back(saturate(std::lrint(value)));
  }
  return out;
}

Image resize_float(const Image& image, int height, int width, const Resampling& resampling) {
  const Resizer axes = resizer(resampling, image.height, image.width, height, width);
  const Raster resized = resample(to_raster(image), axes.rows, axes.columns);
  Image out{height, width, image.channels, {}};
  out.pixels.reserve(resized.values.size());
  for (float value : resized.values) out.pixels.push_back(saturate(std::lrint(value)));
  return out;
}

}  // namespace

Image resize_opencv(const Image& image, int height, int width, const Resampling& resampling) {
  if (height == image.height && width == image.width) return image;
  const bool shrinks = height <= image.height && width <= image.width;
  const bool whole = shrinks && image.height % height == 0 && image.width % width == 0;
  const int fy = image.height / height, fx = image.width / width;
  if (resampling.kernel == Kernel::kArea && shrinks) {
    return whole ? shrink_whole(image, fy, fx, height, width) : shrink_area(image, height, width);
  }
  // Bilinear halving of both sides equals averaging four pixels, and OpenCV does it this way.
  if (resampling.kernel == Kernel::kBilinear && whole && fy == 2 && fx == 2) {
    return shrink_whole(image, 2, 2, height, width);
  }
  if (resampling.kernel == Kernel::kBicubic) return resize_float(image, height, width, resampling);
  return resize_fixed(image, height, width, resampling);
}

}  // namespace edgeprobe::preprocess
