// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/model/relation.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

/// Values of a channel that a line needs, and the fraction of a sum of squares that it may leave.
constexpr std::size_t kLeastValues = 8;
constexpr double kUnexplained = 1e-4;
/// Below these, a factor is 1 and an offset (in standard deviations) is 0: rounding.
constexpr double kSameLine = 1e-3;

struct Sums {
  double n = 0, r = 0, t = 0, rr = 0, rt = 0, tt = 0;

  void add(double x, double y) {
    n += 1;
    r += x;
    t += y;
    rr += x * x;
    rt += x * y;
    tt += y * y;
  }
  double spread_r() const { return rr - r * r / n; }
  double spread_t() const { return tt - t * t / n; }
};

bool is_scaled(const Relation::Line& line) { return std::abs(line.factor - 1) > kSameLine; }

std::string range_of_lines(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const std::string a = number(*low, 3), b = number(*high, 3);
  return a == b ? a : a + " to " + b;
}

/// The bounds at which an activation cuts values off; nothing where only one value is extreme.
struct CutOffs {
  std::optional<float> low, high;
  bool operator==(const CutOffs&) const = default;
};

CutOffs cut_offs_of(const std::vector<float>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const auto reached = [&](float bound) {
    return std::count(values.begin(), values.end(), bound) > 1 ? std::optional(bound)
                                                               : std::nullopt;
  };
  return {reached(*low), reached(*high)};
}

}  // namespace

bool Relation::scales() const { return std::any_of(lines.begin(), lines.end(), is_scaled); }

bool Relation::shifts() const {
  return std::any_of(lines.begin(), lines.end(), [this](const Line& line) {
    return std::abs(line.offset) > kSameLine * spread;
  });
}

std::string Relation::words() const {
  std::vector<double> factors, offsets;
  for (const Line& line : lines)
    if (is_scaled(line) || std::abs(line.offset) > kSameLine * spread) {
      factors.push_back(line.factor);
      offsets.push_back(line.offset);
    }
  std::string text = scales() ? range_of_lines(factors) + " times the reference's values"
                              : std::string("the reference's values");
  if (shifts()) text += " plus " + range_of_lines(offsets);
  if (factors.size() < lines.size())
    text += " in " + std::to_string(factors.size()) + " of " + counted(lines.size(), "channel");
  return text;
}

std::optional<Relation> relation_of(const LayerValues& values) {
  const auto& r = values.reference;
  const auto& t = values.target;
  const auto is_finite = [](float value) { return std::isfinite(value); };
  if (r.empty() || r.size() != t.size() || !std::all_of(r.begin(), r.end(), is_finite) ||
      !std::all_of(t.begin(), t.end(), is_finite))
    return std::nullopt;
  const CutOffs bounds = cut_offs_of(r);
  if (cut_offs_of(t) != bounds) return std::nullopt;
  std::vector<Sums> sums(values.channels);
  Sums all;
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (r[i] == bounds.low || r[i] == bounds.high || t[i] == bounds.low || t[i] == bounds.high)
      continue;
    sums[i / values.inner % values.channels].add(r[i], t[i]);
    all.add(r[i], t[i]);
  }
  if (all.n < kLeastValues) return std::nullopt;
  Relation relation;
  relation.spread = std::sqrt(std::max(0.0, all.spread_r() / all.n));
  double before = 0, after = 0, varies = 0;
  for (const Sums& s : sums) {
    if (s.n < kLeastValues || s.spread_r() <= 1e-9 * s.rr) continue;
    const double factor = (s.rt - s.r * s.t / s.n) / s.spread_r();
    relation.lines.push_back({factor, (s.t - factor * s.r) / s.n});
    before += s.tt - 2 * s.rt + s.rr;
    after += std::max(0.0, s.spread_t() - factor * factor * s.spread_r());
    varies += s.spread_t();
  }
  // The lines must predict the values: a constant, or noise around a large offset, does not.
  if (2 * relation.lines.size() < values.channels || before <= 0 ||
      after > kUnexplained * std::min(before, varies))
    return std::nullopt;
  relation.explained = 1 - after / before;
  return relation;
}

}  // namespace edgeprobe::diagnose
