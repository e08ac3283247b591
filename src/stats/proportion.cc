#include "stats/proportion.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::stats {
namespace {

constexpr double kZ95 = 1.959963984540054;     // normal quantile of 0.975
constexpr double kZPower80 = 0.8416212335729143;  // normal quantile of 0.8

// splitmix64 (Steele, Lea, Flood 2014): standard distributions differ between libraries, this does not.
std::uint64_t next(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

Interval wilson(std::uint64_t successes, std::uint64_t n) {
  if (n == 0) return {0, 1};
  const double count = static_cast<double>(n), share = static_cast<double>(std::min(successes, n)) / count;
  const double z2 = kZ95 * kZ95, spread = 1 + z2 / count;
  const double centre = (share + z2 / (2 * count)) / spread;
  const double half = kZ95 / spread * std::sqrt(share * (1 - share) / count + z2 / (4 * count * count));
  return {successes == 0 ? 0 : std::max(0.0, centre - half), successes >= n ? 1 : std::min(1.0, centre + half)};
}

double mcnemar_p(std::uint64_t only_first, std::uint64_t only_second) {
  const std::uint64_t few = std::min(only_first, only_second), all = only_first + only_second;
  if (all == 0) return 1;
  // Terms of the binomial from the largest down, relative to it, so that nothing underflows on the way.
  const double n = static_cast<double>(all), k = static_cast<double>(few);
  const double log_largest =
      std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) - n * 0.6931471805599453;
  double sum = 0, term = 1;
  for (double j = k; term > 1e-18 * sum; --j) {
    sum += term;
    if (j == 0) break;
    term *= j / (n - j + 1);
  }
  return std::min(1.0, 2 * std::exp(log_largest) * sum);
}

Interval bootstrap_mean(const std::vector<double>& values, int resamples, std::uint64_t seed) {
  if (values.empty() || resamples < 1) return {};
  std::vector<double> means(static_cast<std::size_t>(resamples));
  for (double& mean : means) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      sum += values[static_cast<std::size_t>((next(seed) >> 32) * values.size() >> 32)];
    mean = sum / static_cast<double>(values.size());
  }
  std::sort(means.begin(), means.end());
  const auto at = [&](double quantile) {
    return means[static_cast<std::size_t>(std::lround(quantile * static_cast<double>(means.size() - 1)))];
  };
  return {at(0.025), at(0.975)};
}

std::optional<std::uint64_t> samples_to_decide(std::uint64_t only_first, std::uint64_t only_second, std::uint64_t n) {
  if (n == 0 || only_first == only_second) return std::nullopt;
  const double count = static_cast<double>(n);
  const double either = static_cast<double>(only_first + only_second) / count;
  const double difference = (static_cast<double>(only_first) - static_cast<double>(only_second)) / count;
  const double root = kZ95 * std::sqrt(either) + kZPower80 * std::sqrt(std::max(0.0, either - difference * difference));
  return static_cast<std::uint64_t>(std::ceil(root * root / (difference * difference)));
}

}  // namespace edgeprobe::stats
