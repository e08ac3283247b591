// SPDX-License-Identifier: Apache-2.0
#include "search/proof.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "search/limits.h"

namespace edgeprobe::search {

Proof weakest(std::span<const Proof> all, bool is_last_told) {
  Proof out{std::numeric_limits<double>::max(), 0};
  for (const Proof& one : all)
    if (is_last_told ? !(one.spare() > out.spare()) : !(one.spare() >= out.spare())) out = one;
  return out;
}

double bits_needed(std::size_t proposed, std::size_t together) {
  return kSpareBits + static_cast<double>(together) *
                          std::log2(static_cast<double>(std::max<std::size_t>(proposed, 2)));
}

double bits_of_number(double range, double tolerance) {
  return std::clamp(std::log2(range / (2 * tolerance)), 0.0, kBitsOfNumber);
}

double bits_of_choice(std::size_t n, std::size_t k) {
  if (k > n) return 0;
  const auto log_factorial = [](std::size_t m) { return std::lgamma(static_cast<double>(m) + 1); };
  return (log_factorial(n) - log_factorial(k) - log_factorial(n - k)) / std::log(2.0);
}

bool Facts::is_new(double value, double tolerance) {
  for (const double known : known_)
    if (std::fabs(known - value) <= 2 * tolerance) return false;
  known_.push_back(value);
  return true;
}

Cut cut_behind(std::vector<double> scores, std::size_t count) {
  Cut out;
  out.scores = std::move(scores);
  std::sort(out.scores.begin(), out.scores.end(), std::greater<>());
  count = std::min(count, out.scores.size());
  out.keeps = count > 0;
  out.drops = count < out.scores.size();
  if (out.drops) out.low = out.scores[count];
  if (out.keeps) out.high = out.scores[count - 1];
  return out;
}

double bits_of_cuts(std::span<const Cut> cuts) {
  double bits = 0;
  for (std::size_t left = 0; left < cuts.size(); ++left) {
    double low = -HUGE_VAL, high = HUGE_VAL;
    for (std::size_t i = 0; i < cuts.size(); ++i)
      if (i != left) low = std::max(low, cuts[i].low), high = std::min(high, cuts[i].high);
    // Cuts between this frame's scores that the other frames allow.
    const std::vector<double>& scores = cuts[left].scores;
    std::size_t possible = 0;
    for (std::size_t count = 0; count <= scores.size(); ++count)
      possible += (count < scores.size() ? std::max(low, scores[count]) : low) <
                  (count > 0 ? std::min(high, scores[count - 1]) : high);
    if (possible > 0)
      bits += std::log2(static_cast<double>(scores.size() + 1) / static_cast<double>(possible));
  }
  return bits;
}

}  // namespace edgeprobe::search
