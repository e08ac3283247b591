// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/model/relation.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

/// Values of a channel that a line needs, and the fraction of the difference it may leave.
constexpr std::size_t kLeastValues = 16;
constexpr double kUnexplained = 1e-4;
/// Below these, a factor is 1 and an offset (in standard deviations) is 0: rounding.
constexpr double kSameFactor = 1e-3, kSameOffset = 1e-3;

struct Sums {
  double n = 0, r = 0, t = 0, rr = 0, rt = 0;
};

bool is_scaled(double factor) { return std::abs(factor - 1) > kSameFactor; }

std::string range(std::vector<double> values, int digits) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const std::string a = number(*low, digits), b = number(*high, digits);
  return a == b ? a : a + " to " + b;
}

}  // namespace

bool Relation::scales() const { return std::any_of(factors.begin(), factors.end(), is_scaled); }

bool Relation::shifts() const {
  return std::any_of(offsets.begin(), offsets.end(),
                     [this](double offset) { return std::abs(offset) > kSameOffset * spread; });
}

std::string Relation::words() const {
  std::vector<double> changed, moved;
  for (std::size_t c = 0; c < factors.size(); ++c) {
    const bool is_moved = std::abs(offsets[c]) > kSameOffset * spread;
    if (is_scaled(factors[c]) || is_moved) {
      changed.push_back(factors[c]);
      moved.push_back(offsets[c]);
    }
  }
  std::string text = scales() ? range(changed, 3) + " times the reference's values"
                              : std::string("the reference's values");
  if (shifts()) text += " plus " + range(moved, 3);
  if (changed.size() < factors.size())
    text += " in " + std::to_string(changed.size()) + " of " + std::to_string(factors.size()) +
            " channels";
  return text;
}

std::optional<Relation> relation_of(const LayerValues& values) {
  const auto& r = values.reference;
  const auto& t = values.target;
  if (r.empty() || r.size() != t.size() || values.channel.size() != r.size()) return std::nullopt;
  const auto [r_low, r_high] = std::minmax_element(r.begin(), r.end());
  const auto [t_low, t_high] = std::minmax_element(t.begin(), t.end());
  const auto counts = [&](std::size_t i) {
    return r[i] != *r_low && r[i] != *r_high && t[i] != *t_low && t[i] != *t_high;
  };
  std::vector<Sums> sums(values.channels);
  Sums all;
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (!std::isfinite(r[i]) || !std::isfinite(t[i])) return std::nullopt;
    if (!counts(i)) continue;
    for (Sums* s : {&sums[values.channel[i]], &all}) {
      s->n += 1;
      s->r += double{r[i]};
      s->t += double{t[i]};
      s->rr += double{r[i]} * r[i];
      s->rt += double{r[i]} * t[i];
    }
  }
  if (all.n < kLeastValues) return std::nullopt;
  Relation relation;
  relation.spread = std::sqrt(std::max(0.0, all.rr / all.n - (all.r / all.n) * (all.r / all.n)));
  std::vector<bool> known(values.channels, false);
  for (std::size_t c = 0; c < values.channels; ++c) {
    const Sums& s = sums[c];
    const double within = s.rr - s.r * s.r / std::max(1.0, s.n);
    known[c] = s.n >= kLeastValues && within > 1e-9 * s.rr;
    const double factor = known[c] ? (s.rt - s.r * s.t / s.n) / within : 1;
    relation.factors.push_back(factor);
    relation.offsets.push_back(known[c] ? (s.t - factor * s.r) / s.n : 0);
  }
  double before = 0, after = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (!counts(i) || !known[values.channel[i]]) continue;
    const double d = double{t[i]} - r[i];
    const double left = double{t[i]} - relation.factors[values.channel[i]] * r[i] -
                        relation.offsets[values.channel[i]];
    before += d * d;
    after += left * left;
  }
  const auto telling = static_cast<std::size_t>(std::count(known.begin(), known.end(), true));
  if (before <= 0 || after > kUnexplained * before || 2 * telling < values.channels)
    return std::nullopt;
  relation.explained = 1 - after / before;
  return relation;
}

}  // namespace edgeprobe::diagnose
