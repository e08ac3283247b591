// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "preprocess/picture/kernels.h"

namespace edgeprobe::preprocess {
namespace {

/// sum = weight * row, or sum += weight * row.
void accumulate(float* __restrict sum, const float* __restrict row, float weight, std::size_t n,
                bool first) {
  if (first) {
    for (std::size_t i = 0; i < n; ++i) sum[i] = weight * row[i];
  } else {
    for (std::size_t i = 0; i < n; ++i) sum[i] += weight * row[i];
  }
}

/// With a channel count known at compile time, the inner loops unroll.
template <int kChannels>
void resample_row(const float* __restrict row, const BandedMatrix& columns,
                  const float* __restrict weights, float* __restrict out) {
  for (int x = 0; x < columns.out; ++x) {
    const float* in = row + std::size_t(columns.first[x]) * kChannels;
    const float* weight = weights + std::size_t(x) * columns.taps;
    float sum[kChannels] = {};
    for (int k = 0; k < columns.taps; ++k) {
      for (int c = 0; c < kChannels; ++c) sum[c] += weight[k] * in[k * kChannels + c];
    }
    for (int c = 0; c < kChannels; ++c) out[x * kChannels + c] = sum[c];
  }
}

void resample_row(const float* row, const BandedMatrix& columns, const float* weights, float* out,
                  int channels) {
  if (channels == 1) return resample_row<1>(row, columns, weights, out);
  if (channels == 3) return resample_row<3>(row, columns, weights, out);
  for (int x = 0; x < columns.out; ++x) {
    for (int c = 0; c < channels; ++c) {
      float sum = 0.0f;
      for (int k = 0; k < columns.taps; ++k) {
        sum += weights[std::size_t(x) * columns.taps + k] *
               row[std::size_t(columns.first[x] + k) * channels + c];
      }
      out[std::size_t(x) * channels + c] = sum;
    }
  }
}

}  // namespace

Raster resample(const Raster& raster, const BandedMatrix& rows, const BandedMatrix& columns) {
  Raster out;
  out.height = rows.out;
  out.width = columns.out;
  out.channels = raster.channels;
  const std::size_t in_row = std::size_t(raster.width) * raster.channels;
  const std::size_t out_row = std::size_t(out.width) * out.channels;
  out.values.resize(std::size_t(out.height) * out_row);

  const std::vector<float> weights(columns.weight.begin(), columns.weight.end());
  // Height first: its sums run over whole rows, which vectorises and needs memory for only one row.
  std::vector<float> sum(in_row);
  for (int y = 0; y < rows.out; ++y) {
    bool first = true;
    for (int k = 0; k < rows.taps; ++k) {
      const double weight = rows.weight[std::size_t(y) * rows.taps + k];
      if (weight == 0.0) continue;
      accumulate(sum.data(), raster.values.data() + std::size_t(rows.first[y] + k) * in_row,
                 float(weight), in_row, first);
      first = false;
    }
    resample_row(sum.data(), columns, weights.data(), out.values.data() + y * out_row,
                 out.channels);
  }
  return out;
}

}  // namespace edgeprobe::preprocess
