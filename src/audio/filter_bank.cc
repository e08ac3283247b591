// SPDX-License-Identifier: Apache-2.0
#include "audio/synthesis.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::audio {
namespace {

const double kSlaneyStep = std::log(6.4) / 27;

double to_mel(double hz, MelScale scale) {
  if (scale == MelScale::kHtk) return 1127 * std::log1p(hz / 700);
  return hz < 1000 ? hz * 3 / 200 : 15 + std::log(hz / 1000) / kSlaneyStep;
}
double to_hz(double mel, MelScale scale) {
  if (scale == MelScale::kHtk) return 700 * std::expm1(mel / 1127);
  return mel < 15 ? mel * 200 / 3 : 1000 * std::exp(kSlaneyStep * (mel - 15));
}

}  // namespace

FilterBank filter_bank(const FrontEnd& f, double rate) {
  const auto bins = static_cast<std::size_t>(f.nfft) / 2 + 1;
  const double low = to_mel(f.fmin, f.mel_scale), high = to_mel(f.fmax, f.mel_scale);
  // The corner frequencies, and their positions on the axis of the slopes.
  std::vector<double> hz, edges;
  for (int i = 0; i < f.mels + 2; ++i) {
    const double mel = low + (high - low) * i / (f.mels + 1);
    hz.push_back(to_hz(mel, f.mel_scale));
    edges.push_back(f.triangles == Triangles::kMel  ? mel
                    : f.triangles == Triangles::kHz ? hz.back()
                                                    : std::floor((f.nfft + 1) * hz.back() / rate));
  }
  // Positions of the bins on that axis; a filter has no weights beyond its corners.
  std::vector<double> axis(bins);
  for (std::size_t k = 0; k < bins; ++k) {
    const double frequency = static_cast<double>(k) * rate / f.nfft;
    axis[k] = f.triangles == Triangles::kMel  ? to_mel(frequency, f.mel_scale)
              : f.triangles == Triangles::kHz ? frequency
                                              : static_cast<double>(k);
  }
  FilterBank bank;
  for (std::size_t m = 0; m + 2 < edges.size(); ++m) {
    const double a = edges[m], b = edges[m + 1], c = edges[m + 2];
    FilterBank::Filter filter;
    double sum = 0;
    const auto begin = std::lower_bound(axis.begin(), axis.end(), a);
    for (auto k = static_cast<std::size_t>(begin - axis.begin()); k < bins && axis[k] <= c; ++k) {
      const double x = axis[k];
      const double up = (x - a) / std::max(b - a, 1e-12), down = (c - x) / std::max(c - b, 1e-12);
      // With whole bins, each slope owns its half-open range.
      double weight = std::max(0.0, std::min(up, down));
      if (f.triangles == Triangles::kBins)
        weight = x >= a && x < b ? up : x >= b && x < c ? down : 0;
      if (weight == 0 && filter.weights.empty()) continue;
      if (filter.weights.empty()) filter.first = k;
      filter.weights.push_back(weight);
      sum += weight;
    }
    while (!filter.weights.empty() && filter.weights.back() == 0) filter.weights.pop_back();
    const double factor = f.mel_norm == MelNorm::kSlaney ? 2 / std::max(hz[m + 2] - hz[m], 1e-9)
                          : f.mel_norm == MelNorm::kSum  ? 1 / std::max(sum, 1e-12)
                                                         : 1;
    for (double& weight : filter.weights) weight *= factor;
    bank.filters.push_back(std::move(filter));
  }
  return bank;
}

Rows filtered(const FilterBank& bank, const Rows& spectrum) {
  Rows out{spectrum.rows, bank.filters.size(),
           std::vector<double>(spectrum.rows * bank.filters.size())};
  for (std::size_t t = 0; t < spectrum.rows; ++t)
    for (std::size_t m = 0; m < bank.filters.size(); ++m) {
      const FilterBank::Filter& filter = bank.filters[m];
      const double* const row = spectrum.row(t) + filter.first;
      double sum = 0;
      for (std::size_t k = 0; k < filter.weights.size(); ++k) sum += filter.weights[k] * row[k];
      out.row(t)[m] = sum;
    }
  return out;
}

}  // namespace edgeprobe::audio
