// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/model/statistics.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::diagnose {
namespace {

struct Moments {
  double mean = 0, deviation = 0;
  float least = 0, most = 0;
};

Moments moments_of(const std::vector<float>& values) {
  Moments m;
  double sum = 0, squares = 0;
  for (float v : values) {
    sum += v;
    squares += double(v) * v;
  }
  const double n = double(values.size());
  m.mean = sum / n;
  m.deviation = std::sqrt(std::max(0.0, squares / n - m.mean * m.mean));
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  m.least = *least;
  m.most = *most;
  return m;
}

double correlation(const std::vector<float>& a, const std::vector<float>& b, const Moments& of_a,
                   const Moments& of_b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += (double(a[i]) - of_a.mean) * (double(b[i]) - of_b.mean);
  const double spread = of_a.deviation * of_b.deviation * double(a.size());
  return spread > 0 ? sum / spread : 0;
}

/// Fraction of the variance in differences between neighbours: a blur lowers it, noise raises it.
double fine_share(const std::vector<float>& values, const Moments& moments,
                  const Reference& reference) {
  const auto r =
      arranged(values, reference.order, reference.height, reference.width, reference.channels);
  const std::size_t line = std::size_t(r.width) * r.channels;
  double squares = 0, count = 0;
  for (int y = 0; y < r.height; ++y)
    for (std::size_t x = r.channels; x < line; ++x) {
      const double d = double(r.values[y * line + x]) - double(r.values[y * line + x - r.channels]);
      squares += d * d;
      ++count;
    }
  const double variance = moments.deviation * moments.deviation;
  return count > 0 && variance > 0 ? squares / count / (2 * variance) : 0;
}

}  // namespace

std::vector<Evidence> describe_difference(const Frame& frame, const Reference& reference) {
  const Moments target = moments_of(frame.stored), own = moments_of(frame.healthy);
  std::vector<Evidence> said;
  said.push_back({EvidenceKind::kStoredValues,
                  {{"least", target.least},
                   {"most", target.most},
                   {"mean", target.mean},
                   {"deviation", target.deviation},
                   {"reference_least", own.least},
                   {"reference_most", own.most},
                   {"reference_mean", own.mean},
                   {"reference_deviation", own.deviation}}});
  said.push_back({EvidenceKind::kInputCorrelation,
                  {{"correlation", correlation(frame.stored, frame.healthy, target, own)}}});
  const double fine = fine_share(frame.stored, target, reference),
               fine_own = fine_share(frame.healthy, own, reference);
  if (fine_own > 0)
    said.push_back(
        {EvidenceKind::kNeighbourVariance, {{"share", fine}, {"reference_share", fine_own}}});
  return said;
}

}  // namespace edgeprobe::diagnose
