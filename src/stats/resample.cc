// SPDX-License-Identifier: Apache-2.0
#include "stats/resample.h"

#include <algorithm>
#include <cmath>

#include "stats/splitmix.h"

namespace edgeprobe::stats {
namespace {

constexpr std::size_t kAllExchanges = 10;  // 2^10 is at most the number of random draws.

std::optional<Interval> middle_of(std::vector<double> values, int draws) {
  if (2 * values.size() < static_cast<std::size_t>(draws)) return std::nullopt;
  std::sort(values.begin(), values.end());
  const auto nearest = [&](double level) {
    return values[static_cast<std::size_t>(
        std::lround(level * static_cast<double>(values.size() - 1)))];
  };
  return Interval{nearest(0.025), nearest(0.975)};
}

std::size_t drawn(std::size_t count, std::uint64_t& seed) {
  return static_cast<std::size_t>((splitmix64(seed) >> 32) * count >> 32);
}

class Exchange {
 public:
  Exchange(std::size_t frames, const WeightedFigure& figure)
      : frames_(frames), figure_(figure), first_(2 * frames, 0), second_(2 * frames, 0) {}

  /// Target's figure minus the reference's, with both answers exchanged in the frames that `swap`
  /// selects.
  template <class Swap>
  std::optional<double> difference(Swap swap) {
    for (std::size_t i = 0; i < frames_; ++i) {
      const bool other = swap(i);
      first_[i] = second_[frames_ + i] = !other;
      first_[frames_ + i] = second_[i] = other;
    }
    const auto first = figure_(first_), second = figure_(second_);
    if (!first || !second) return std::nullopt;
    return *second - *first;
  }

 private:
  std::size_t frames_;
  const WeightedFigure& figure_;
  std::vector<std::uint32_t> first_, second_;
};

double exchange_p(std::size_t frames, const WeightedFigure& figure, int draws, std::uint64_t seed) {
  Exchange exchange(frames, figure);
  const auto seen = exchange.difference([](std::size_t) { return false; });
  if (!seen || *seen == 0) return 1;
  // Sums in another order differ in their last bits.
  const double at_least = std::fabs(*seen) * (1 - 1e-9);
  const bool all = frames <= kAllExchanges;
  const std::uint64_t count =
      all ? std::uint64_t{1} << frames : static_cast<std::uint64_t>(std::max(draws, 1));
  std::uint64_t as_large = 0, defined = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    const auto one = exchange.difference([&](std::size_t frame) {
      if (all) return (i >> frame & 1) != 0;
      if (frame % 64 == 0) bits = splitmix64(seed);
      return (bits >> frame % 64 & 1) != 0;
    });
    if (!one) continue;
    ++defined;
    as_large += std::fabs(*one) >= at_least;
  }
  // The observed split is one of all exchanges; if exchanges are drawn at random, it is counted in
  // addition.
  const std::uint64_t beside = all ? 0 : 1;
  return static_cast<double>(as_large + beside) / static_cast<double>(defined + beside);
}

}  // namespace

int draws_for(double cost) {
  return static_cast<int>(std::clamp(2e8 / std::max(cost, 1.0), 100.0, 1000.0));
}

std::optional<Interval> bootstrap(std::size_t count, const WeightedFigure& figure, int draws,
                                  std::uint64_t seed) {
  if (count < 2) return std::nullopt;
  std::vector<double> values;
  std::vector<std::uint32_t> weights(count);
  for (int i = 0; i < draws; ++i) {
    std::fill(weights.begin(), weights.end(), 0);
    for (std::size_t j = 0; j < count; ++j) ++weights[drawn(count, seed)];
    if (const auto value = figure(weights)) values.push_back(*value);
  }
  return middle_of(std::move(values), draws);
}

PairedFigure paired(std::size_t frames, const WeightedFigure& figure, int draws,
                    std::uint64_t seed) {
  PairedFigure result;
  result.p_value = exchange_p(frames, figure, draws, seed);
  if (frames < 2) return result;
  std::vector<double> differences;
  std::vector<std::uint32_t> reference(2 * frames), target(2 * frames);
  for (int i = 0; i < draws; ++i) {
    std::fill(reference.begin(), reference.end(), 0);
    std::fill(target.begin(), target.end(), 0);
    for (std::size_t j = 0; j < frames; ++j) {
      const std::size_t frame = drawn(frames, seed);
      ++reference[frame];
      ++target[frames + frame];
    }
    const auto a = figure(reference), b = figure(target);
    if (a && b) differences.push_back(*b - *a);
  }
  result.difference_ci95 = middle_of(std::move(differences), draws);
  return result;
}

}  // namespace edgeprobe::stats
