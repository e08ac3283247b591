// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "diagnose/preprocessing/model/geometry.h"

namespace edgeprobe::diagnose {
namespace {

using preprocess::BandedMatrix;

std::vector<float> narrow(const std::vector<double>& weights) {
  return {weights.begin(), weights.end()};
}

/// Works one output row at a time: the row pass fills a line of the input's width, the column pass
/// shrinks it, so the intermediate stays in the cache.
template <int kChannels, class Value>
void rows_then_columns(const Value* from, int width, int channels, const BandedMatrix& rows,
                       const BandedMatrix& columns, int row_step, int row_begin,
                       preprocess::Raster& out) {
  const int c = kChannels > 0 ? kChannels : channels;
  int low = width, high = 0;
  for (int j = 0; j < columns.out; ++j) {
    low = std::min(low, columns.first[std::size_t(j)]);
    high = std::max(high, columns.first[std::size_t(j)] + columns.taps);
  }
  const auto column_weight = narrow(columns.weight);
  std::vector<float> line(std::size_t(high - low) * c);
  float* to = out.values.data();
  for (int i = row_begin; i < rows.out; i += row_step) {
    std::fill(line.begin(), line.end(), 0.f);
    for (int k = 0; k < rows.taps; ++k) {
      const float w = float(rows.weight[std::size_t(i) * rows.taps + k]);
      if (w == 0.f) continue;
      const Value* row = from + (std::size_t(rows.first[std::size_t(i)] + k) * width + low) * c;
      float* sum = line.data();
      const std::size_t n = line.size();
      for (std::size_t x = 0; x < n; ++x) sum[x] += w * float(row[x]);
    }
    for (int j = 0; j < columns.out; ++j) {
      const float* w = column_weight.data() + std::size_t(j) * columns.taps;
      const float* x = line.data() + std::size_t(columns.first[std::size_t(j)] - low) * c;
      if constexpr (kChannels == 3) {
        float r = 0, g = 0, b = 0;
        for (int k = 0; k < columns.taps; ++k, x += 3) {
          r += w[k] * x[0];
          g += w[k] * x[1];
          b += w[k] * x[2];
        }
        to[0] = r;
        to[1] = g;
        to[2] = b;
        to += 3;
      } else {
        for (int q = 0; q < c; ++q) {
          float sum = 0;
          for (int k = 0; k < columns.taps; ++k) sum += w[k] * x[k * c + q];
          *to++ = sum;
        }
      }
    }
  }
}

template <class Value>
preprocess::Raster project_values(const Value* from, int width, int channels,
                                  const BandedMatrix& rows, const BandedMatrix& columns,
                                  int row_step) {
  const int begin = row_step > 1 ? std::min(row_step / 2, rows.out - 1) : 0;
  preprocess::Raster out;
  out.height = (rows.out - begin + row_step - 1) / row_step;
  out.width = columns.out;
  out.channels = channels;
  out.values.resize(std::size_t(out.height) * out.width * channels);
  if (channels == 3) rows_then_columns<3>(from, width, 3, rows, columns, row_step, begin, out);
  else if (channels == 1) rows_then_columns<1>(from, width, 1, rows, columns, row_step, begin, out);
  else rows_then_columns<0>(from, width, channels, rows, columns, row_step, begin, out);
  return out;
}

}  // namespace

preprocess::Raster project(const preprocess::Image& laid, const Geometry& geometry, int row_step) {
  return project_values(laid.pixels.data(), laid.width, laid.channels, geometry.rows,
                        geometry.columns, row_step);
}

preprocess::Raster project(const preprocess::Raster& picture, const BandedMatrix& rows,
                           const BandedMatrix& columns, int row_step) {
  return project_values(picture.values.data(), picture.width, picture.channels, rows, columns,
                        row_step);
}

BandedMatrix window_matrix(int in, int out, double start, double length) {
  const double scale = length / out, reach = std::max(scale, 1.0);
  BandedMatrix m{
      in, out, std::min(in, int(std::ceil(2 * reach)) + 2), std::vector<int>(std::size_t(out)), {}};
  m.weight.assign(std::size_t(out) * m.taps, 0.0);
  for (int i = 0; i < out; ++i) {
    const double centre = start + (i + 0.5) * scale - 0.5;
    const int low = int(std::floor(centre - reach)), high = int(std::ceil(centre + reach));
    const int first = std::clamp(low, 0, in - m.taps);
    m.first[std::size_t(i)] = first;
    double* weight = m.weight.data() + std::size_t(i) * m.taps;
    double sum = 0;
    for (int k = low; k <= high; ++k) {
      const double w = std::max(0.0, 1.0 - std::abs(k - centre) / reach);
      if (w == 0) continue;
      weight[std::clamp(std::clamp(k, 0, in - 1) - first, 0, m.taps - 1)] += w;
      sum += w;
    }
    if (sum > 0)
      for (int t = 0; t < m.taps; ++t) weight[t] /= sum;
    else weight[0] = 1;
  }
  return m;
}

}  // namespace edgeprobe::diagnose
