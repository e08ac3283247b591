#include "diagnose/input/statistics.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

struct Moments { double mean = 0, deviation = 0; float least = 0, most = 0; };

Moments moments_of(const std::vector<float>& values) {
  Moments m;
  double sum = 0, squares = 0;
  for (float v : values) { sum += v; squares += double(v) * v; }
  const double n = double(values.size());
  m.mean = sum / n;
  m.deviation = std::sqrt(std::max(0.0, squares / n - m.mean * m.mean));
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  m.least = *least;
  m.most = *most;
  return m;
}

std::string text(const Moments& m) {
  return number(m.least, 4) + ".." + number(m.most, 4) + ", mean " + number(m.mean, 4) + ", deviation " + number(m.deviation, 4);
}

double correlation(const std::vector<float>& a, const std::vector<float>& b, const Moments& of_a, const Moments& of_b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (double(a[i]) - of_a.mean) * (double(b[i]) - of_b.mean);
  const double spread = of_a.deviation * of_b.deviation * double(a.size());
  return spread > 0 ? sum / spread : 0;
}

/// Share of the variance that is in differences of neighbours: what a blur takes away and noise adds.
double fine_share(const std::vector<float>& values, const Moments& moments, const Reference& reference) {
  const auto r = arranged(values, reference.order, reference.height, reference.width, reference.channels);
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

std::vector<std::string> describe_difference(const Frame& frame, const Reference& reference) {
  const Moments target = moments_of(frame.stored), own = moments_of(frame.healthy);
  std::vector<std::string> said;
  said.push_back("range of the stored values: " + text(target) + "; the reference's: " + text(own));
  said.push_back("correlation with the reference's input: " + number(correlation(frame.stored, frame.healthy, target, own), 3));
  const double fine = fine_share(frame.stored, target, reference), fine_own = fine_share(frame.healthy, own, reference);
  if (fine_own > 0)
    said.push_back("spectrum: neighbouring pixels differ with " + percent(fine, 2) + " of the variance, the reference's with " + percent(fine_own, 2) +
                   (fine < 0.9 * fine_own ? " (the target is smoother)" : fine > 1.1 * fine_own ? " (the target is rougher)" : ""));
  return said;
}

}  // namespace edgeprobe::diagnose
