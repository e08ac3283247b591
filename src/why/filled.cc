// SPDX-License-Identifier: Apache-2.0
#include "why/filled.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/text.h"
#include "diagnose/tensors/where.h"
#include "why/relative.h"

namespace edgeprobe::why {
namespace {

namespace tensors = diagnose::tensors;
using diagnose::CauseKind;

/// Minimum number of values that were set to 0, and of others.
constexpr std::size_t kFewestNegative = 8, kFewestKept = 4;
/// Different values that may fill one part: one for each channel.
constexpr std::size_t kMostFillers = 4;
/// Share of a part's neighbours that must belong to it.
constexpr double kClustered = 0.8;

/// Where the app's tensor differs, and the values that it holds there.
struct Fill {
  std::vector<bool> changed;
  std::size_t count = 0;
  std::vector<float> fillers;

  bool is_filler(float value) const {
    return std::find(fillers.begin(), fillers.end(), value) != fillers.end();
  }
};
std::optional<Fill> filled(const Sides& sides) {
  Fill out;
  out.changed.assign(sides.fed.size(), false);
  for (std::size_t i = 0; i < sides.fed.size(); ++i) {
    if (sides.fed[i] == sides.wanted()[i]) continue;
    out.changed[i] = true;
    ++out.count;
    if (out.is_filler(sides.fed[i])) continue;
    if (out.fillers.size() == kMostFillers) return std::nullopt;
    out.fillers.push_back(sides.fed[i]);
  }
  // As many fillers as values are just other values.
  if (out.count < kFewestNegative || out.count == sides.fed.size()) return std::nullopt;
  return out;
}

/// True for slices in one or two runs, or at regular distances, as of rows that are left out.
bool are_regular(const std::vector<bool>& slices) {
  std::set<std::size_t> distances;
  std::size_t runs = 0, last = slices.size();
  for (std::size_t k = 0; k < slices.size(); ++k) {
    if (!slices[k]) continue;
    runs += k == 0 || !slices[k - 1];
    if (last < k) distances.insert(k - last);
    last = k;
  }
  return runs <= 2 || distances.size() == 1;
}

/// The changed slices of each axis; every place where they meet must be filled.
bool is_block(const Sides& sides, const Fill& fill, bool& is_whole) {
  const auto axes = tensors::all_axes(sides.reference.spec.shape);
  std::vector<std::vector<bool>> held;
  for (const tensors::Axis& axis : axes) held.emplace_back(axis.size, false);
  for (std::size_t i = 0; i < fill.changed.size(); ++i)
    if (fill.changed[i])
      for (std::size_t k = 0; k < axes.size(); ++k) held[k][axes[k].slice(i)] = true;
  is_whole = std::all_of(held.begin(), held.end(), [](const std::vector<bool>& slices) {
    return std::all_of(slices.begin(), slices.end(), [](bool one) { return one; });
  });
  if (!std::all_of(held.begin(), held.end(), are_regular)) return false;
  for (std::size_t i = 0; i < fill.changed.size(); ++i) {
    bool inside = true;
    for (std::size_t k = 0; inside && k < axes.size(); ++k) inside = held[k][axes[k].slice(i)];
    if (inside && !fill.changed[i] && !fill.is_filler(sides.fed[i])) return false;
  }
  return true;
}

/// True if a threshold on the reference's value, or on its size, decides which values are replaced.
bool is_by_value(const Sides& sides, const Fill& fill) {
  const auto splits = [&](auto of) {
    double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
    for (std::size_t i = 0; i < fill.changed.size(); ++i) {
      // A value that is the filler by itself says nothing.
      if (!fill.changed[i] && fill.is_filler(sides.wanted()[i])) continue;
      const double value = of(double(sides.wanted()[i]));
      low[fill.changed[i]] = std::min(low[fill.changed[i]], value);
      high[fill.changed[i]] = std::max(high[fill.changed[i]], value);
    }
    return high[true] <= low[false] || high[false] <= low[true];
  };
  return splits([](double x) { return x; }) || splits([](double x) { return std::abs(x); });
}

/// True if the neighbours of changed values are mostly changed ones, along every axis but that of
/// the channels.
bool is_clustered(const Sides& sides, const Fill& fill) {
  for (const tensors::Axis& axis : tensors::all_axes(sides.reference.spec.shape)) {
    if (axis.size <= kMostFillers) continue;
    std::size_t pairs = 0, both = 0;
    for (std::size_t i = 0; i < fill.changed.size(); ++i)
      if (fill.changed[i] && axis.slice(i) + 1 < axis.size)
        ++pairs, both += fill.changed[i + axis.inner];
    if (double(both) < kClustered * double(pairs)) return false;
  }
  return true;
}

std::optional<Answer> relu_of(const Sides& sides) {
  std::size_t negative = 0, kept = 0;
  for (std::size_t i = 0; i < sides.fed.size(); ++i) {
    const float wanted = sides.wanted()[i];
    if (sides.fed[i] != (wanted < 0 ? 0.0f : wanted)) return std::nullopt;
    negative += wanted < 0;
    kept += wanted > 0;
  }
  if (negative < kFewestNegative || kept < kFewestKept) return std::nullopt;
  Answer out = named(CauseKind::kValueRange,
                     "the app's tensor is the reference's with all negative values set to 0, as by "
                     "ReLU",
                     {1, 1, 0, "rounding of its type"});
  bool is_whole = true;
  const auto fill = filled(sides);
  if (fill && is_block(sides, *fill, is_whole) && !is_whole) {
    out.causes.front().alternatives.push_back(
        "the app's tensor is 0 in " + tensors::place_of(tensors::where_of(pairs_of(sides))) +
        ", which was never written");
    out.outcome = diagnose::Outcome::kUndecided;
    out.would_decide.push_back(
        "a pair of other values: in these, one part holds all negative ones");
  }
  return out;
}

}  // namespace

std::optional<Answer> by_relu(const Sides& sides) {
  if (auto out = relu_of(sides)) return out;
  auto out = relu_of(exchanged(sides));
  if (out) exchange_words(*out);
  return out;
}

bool is_scattered_fill(const Sides& sides) {
  const auto fill = filled(sides);
  if (!fill) return false;
  bool is_whole = true;
  if (is_block(sides, *fill, is_whole)) return false;
  return is_by_value(sides, *fill) || !is_clustered(sides, *fill);
}

std::string fill_of(const Sides& sides) {
  const auto fill = filled(sides);
  if (!fill || fill->fillers.size() > 1) return "";
  return "the app's values are " + number(fill->fillers.front()) + " in " +
         std::to_string(fill->count) + " of " + std::to_string(sides.fed.size()) +
         " places, and the reference's in all others";
}

}  // namespace edgeprobe::why
