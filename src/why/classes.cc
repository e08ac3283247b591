// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "core/text.h"
#include "why/outputs.h"

namespace edgeprobe::why {
namespace {

using diagnose::CauseKind;

/// Odds required against the numbers being the best classes by luck, and against their being off by
/// one.
constexpr double kChances = 50, kChancesOff = 200;

/// The best class of each row; empty if two share it in any.
std::optional<std::vector<std::size_t>> best_of(const std::vector<float>& scores, std::size_t outer,
                                                std::size_t classes, std::size_t inner) {
  std::vector<std::size_t> out;
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < inner; ++i) {
      std::size_t best = 0;
      const auto at = [&](std::size_t c) { return scores[(o * classes + c) * inner + i]; };
      for (std::size_t c = 1; c < classes; ++c)
        if (at(c) > at(best)) best = c;
      for (std::size_t c = best + 1; c < classes; ++c)
        if (at(c) == at(best)) return std::nullopt;
      out.push_back(best);
    }
  return out;
}

std::optional<Answer> by_best(const Side& classes, const Side& scores, bool app_has_classes) {
  const std::size_t n = classes.values.size();
  for (const auto& axis : diagnose::tensors::all_axes(scores.spec.shape)) {
    if (scores.values.size() / axis.size != n) continue;
    const auto best = best_of(scores.values, axis.outer, axis.size, axis.inner);
    if (!best) continue;
    const double chances = std::pow(double(axis.size), double(n));
    for (const int by : {0, 1, -1}) {
      bool fits = chances >= (by == 0 ? kChances : kChancesOff);
      for (std::size_t k = 0; k < n && fits; ++k)
        fits = double(classes.values[k]) == double((*best)[k]) + by;
      if (!fits) continue;
      const std::string who = app_has_classes ? "the app's" : "the reference's",
                        other = app_has_classes ? "the reference's" : "the app's";
      return named(CauseKind::kPostprocessing,
                   who + " tensor holds the best class (argmax) of " + other +
                       " scores along axis " + std::to_string(axis.number) +
                       (by == 0   ? ""
                        : by == 1 ? ", counted from 1"
                                  : ", less 1 (the first class left out)"),
                   {1, 1, 0, "class"});
    }
  }
  return std::nullopt;
}

/// A row with one more class at its beginning or its end.
std::optional<Answer> by_background(const Side& longer, const Side& shorter, bool app_is_longer) {
  const std::size_t n = row_length(shorter.spec.shape), more = row_length(longer.spec.shape);
  if (n < kFewestScores || more != n + 1 ||
      longer.values.size() / more != shorter.values.size() / n)
    return std::nullopt;
  std::vector<std::string> found;
  for (const std::size_t first : {std::size_t{1}, std::size_t{0}}) {
    bool fits = true;
    for (std::size_t row = 0; fits && row < shorter.values.size() / n; ++row)
      for (std::size_t k = 0; fits && k < n; ++k)
        fits = longer.values[row * more + first + k] == shorter.values[row * n + k];
    if (fits)
      found.push_back(first ? "in front (of classes: every label is one off)" : "at the end");
  }
  if (found.empty()) return std::nullopt;
  const std::string who = app_is_longer ? "the app's" : "the reference's";
  Answer out = named(CauseKind::kOutputOrder,
                     who + " tensor has one value more in each row, " + found.front() +
                         "; all others are the same",
                     {1, 1, 0, "rounding of its type"});
  if (found.size() > 1) {
    out.causes.front().alternatives = {who + " tensor has one value more in each row, " +
                                       found.back()};
    out.outcome = diagnose::Outcome::kUndecided;
  }
  return out;
}

bool is_whole(const Side& side) {
  return std::all_of(side.values.begin(), side.values.end(),
                     [](float v) { return v == std::round(v) && v >= 0; });
}

}  // namespace

std::optional<Answer> by_shifted_labels(const Sides& sides) {
  if (!is_integer(sides.app.spec.dtype) || !is_integer(sides.reference.spec.dtype))
    return std::nullopt;
  const double by = double(sides.fed[0]) - double(sides.wanted()[0]);
  std::set<float> distinct;
  for (std::size_t i = 0; i < sides.fed.size(); ++i) {
    if (double(sides.fed[i]) - double(sides.wanted()[i]) != by) return std::nullopt;
    distinct.insert(sides.wanted()[i]);
  }
  if (by == 0 || distinct.size() < 3 || sides.fed.size() >= 12) return std::nullopt;
  return named(CauseKind::kPostprocessing,
               "the app's whole numbers are the reference's " +
                   std::string(by > 0 ? "plus " : "minus ") + number(std::abs(by)) +
                   (std::abs(by) == 1 ? " (of classes: labels are one off)" : ""),
               {1, 1, 0, "class"});
}

std::optional<Answer> by_classes(const Sides& sides) {
  const bool app_is_longer = sides.app.values.size() > sides.reference.values.size();
  const Side &longer = app_is_longer ? sides.app : sides.reference,
             &shorter = app_is_longer ? sides.reference : sides.app;
  if (auto out = by_background(longer, shorter, app_is_longer)) return out;
  if (is_whole(shorter)) return by_best(shorter, longer, !app_is_longer);
  return std::nullopt;
}

}  // namespace edgeprobe::why
