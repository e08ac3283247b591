// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/text.h"
#include "diagnose/tensors/axes.h"
#include "diagnose/tensors/changes.h"
#include "diagnose/tensors/line.h"

namespace edgeprobe::diagnose::tensors {
namespace {

/// Minimum number of values per part that establish its line.
constexpr std::size_t kFewestOfPart = 6;
/// Minimum variation of the fed values in most parts, in steps.
constexpr double kFewestStepsOfPart = 3;

/// Parts that may have separate lines: the slices of an axis, or whole frames.
struct Parts {
  std::string noun, names;
  std::size_t count = 0;
  std::vector<std::size_t> of;  ///< Part of each value; empty: one part per frame.
};

std::optional<std::vector<Line>> lines_of(const Pairs& pairs, const Parts& parts) {
  const LineMaker maker(pairs);
  std::vector<LineFit> fits(parts.count);
  const auto part = [&](std::size_t nth, std::size_t i) {
    return parts.of.empty() ? nth : parts.of[i];
  };
  for (std::size_t nth = 0; nth < pairs.differs.size(); ++nth) {
    const Pair& pair = pairs.all[pairs.differs[nth]];
    for (std::size_t i = 0; i < pairs.values(); ++i)
      if (maker.tells(pair.wanted[i], pair.fed[i]))
        fits[part(nth, i)].add(pair.wanted[i], pair.fed[i]);
  }
  const double step = pairs.codes ? 1 : std::max(pairs.slack, 1e-30);
  std::vector<Line> lines;
  std::size_t vary = 0;
  for (const LineFit& fit : fits) {
    const auto line = fit.line();
    if (fit.count() < kFewestOfPart) return std::nullopt;
    vary += fit.deviation() >= kFewestStepsOfPart * step;
    lines.push_back(line.value_or(Line{}));
  }
  if (2 * vary < fits.size()) return std::nullopt;
  Squares squares;
  for (std::size_t nth = 0; nth < pairs.differs.size(); ++nth) {
    const Pair& pair = pairs.all[pairs.differs[nth]];
    for (std::size_t i = 0; i < pairs.values(); ++i) {
      const Line& line = lines[part(nth, i)];
      if (!maker.makes(line, pair.wanted[i], pair.fed[i])) return std::nullopt;
      squares.add(line, pair.wanted[i], pair.fed[i]);
    }
  }
  return squares.are_explained() ? std::optional(lines) : std::nullopt;
}

constexpr std::size_t kMostListed = 4;

bool is_itself(const Pairs& pairs, const Line& line) {
  return std::abs(line.gain - 1) < 1e-3 &&
         std::abs(line.offset) <= (pairs.codes ? 0.5 : 1e3 * pairs.slack);
}

Change worded(const Pairs& pairs, const Parts& parts, const std::vector<Line>& lines) {
  std::vector<double> gains;
  for (const Line& line : lines) gains.push_back(line.gain);
  const auto [least, most] = std::minmax_element(gains.begin(), gains.end());
  const bool offsets_only = std::abs(*least - 1) < 0.02 && std::abs(*most - 1) < 0.02;
  Change change{CauseKind::kFeatureNormalization,
                "has a gain and an offset of its own in each " + parts.noun + ": the first " +
                    in_words(pairs, lines.front()) + ", the last " + in_words(pairs, lines.back())};
  if (offsets_only)
    change.detail = "has an offset of its own in each " + parts.noun + ", from " +
                    number(lines.front().offset) + " (the first) to " +
                    number(lines.back().offset) + " (the last)" + (pairs.codes ? " codes" : "");
  std::vector<std::size_t> other;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!is_itself(pairs, lines[i])) other.push_back(i);
  if (2 * other.size() < lines.size()) {
    change.detail = "is another in some of its " + parts.names + " only:";
    for (std::size_t i = 0; i < std::min(other.size(), kMostListed); ++i)
      change.detail += std::string(i ? "," : "") + " " + parts.noun + " " +
                       std::to_string(other[i]) + " " + in_words(pairs, lines[other[i]]);
    if (other.size() > kMostListed)
      change.detail += " and " + std::to_string(other.size() - kMostListed) + " more";
    return change;
  }
  change.alternatives = {"mean and deviation of " + parts.names + " that are others, or left out"};
  return change;
}

}  // namespace

std::optional<Change> lines_by_part(const Pairs& pairs) {
  std::vector<Parts> all;
  for (const Axis& axis : all_axes(pairs.shape)) {
    if (axis.of < 2) continue;
    Parts parts{axis.one(), axis.names(), axis.size, {}};
    for (std::size_t i = 0; i < pairs.values(); ++i) parts.of.push_back(axis.slice(i));
    all.push_back(std::move(parts));
  }
  std::reverse(all.begin(), all.end());
  if (pairs.differs.size() > 1) all.push_back({"frame", "the frame", pairs.differs.size(), {}});
  for (const Parts& parts : all)
    if (const auto lines = lines_of(pairs, parts)) return worded(pairs, parts, *lines);
  return std::nullopt;
}

}  // namespace edgeprobe::diagnose::tensors
