// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/answer/beyond.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "diagnose/preprocessing/answer/wording.h"
#include "diagnose/preprocessing/search/explain.h"

namespace edgeprobe::diagnose {
namespace {

constexpr std::size_t kSearchedMore = 32;  ///< Limit for further frames examined.
/// Relative gain, and gray steps of offset, by which lines must differ.
constexpr double kOtherGain = 0.01, kOtherOffset = 1;

bool same_but_range(const Hypothesis& a, const Hypothesis& b) {
  return std::none_of(std::begin(kParts), std::end(kParts),
                      [&](Part part) { return part != Part::kRange && differs(a, b, part); });
}

bool is_exact(const Explanation& e, const Reference& reference) {
  using S = Explanation::Status;
  return (e.status == S::kFound || e.status == S::kEqual) && !e.destroyed &&
         !e.hypothesis.range.per_picture && e.residual <= allowed(kExact, reference, e.hypothesis);
}

/// The first channel's line in the reference's pixels: x becomes gain x + offset.
struct FrameLine {
  double gain = 1, offset = 0;
};
FrameLine line_of(const Range& range, const Reference& reference) {
  return {range.gain[0] / reference.gain[0],
          (range.offset[0] - reference.offset[0]) / reference.gain[0]};
}

bool differ(const FrameLine& a, const FrameLine& b) {
  return std::abs(a.gain / b.gain - 1) > kOtherGain || std::abs(a.offset - b.offset) > kOtherOffset;
}

std::string text(const FrameLine& line) {
  return "x * " + number(line.gain, 3) +
         (std::abs(line.offset) < 0.05
              ? ""
              : (line.offset < 0 ? " - " : " + ") + number(std::abs(line.offset), 3));
}

/// True if all frames have the same minimum and maximum, regardless of their pictures.
bool is_min_max(const std::vector<Frame>& frames, const Reference& reference) {
  double low_low = 1e300, low_high = -1e300, high_low = 1e300, high_high = -1e300;
  for (const Frame& frame : frames) {
    const auto [low, high] = std::minmax_element(frame.stored.begin(), frame.stored.end());
    low_low = std::min(low_low, double(*low));
    low_high = std::max(low_high, double(*low));
    high_low = std::min(high_low, double(*high));
    high_high = std::max(high_high, double(*high));
  }
  const double one = 0.5 / reference.steps_per_unit();
  return low_high - low_low <= one && high_high - high_low <= one;
}

}  // namespace

std::optional<Beyond> explain_by_own_ranges(std::vector<Frame>& frames,
                                            const std::vector<Explanation>& explanations,
                                            const Reference& reference, const Hypothesis& own) {
  if (frames.size() < 2 || explanations.size() != frames.size()) return std::nullopt;
  const Hypothesis& first = explanations.front().hypothesis;
  std::vector<FrameLine> lines;
  double squares = 0;
  for (const Explanation& e : explanations) {
    if (!is_exact(e, reference) || !same_but_range(e.hypothesis, first)) return std::nullopt;
    lines.push_back(line_of(e.hypothesis.range, reference));
    squares += e.residual * e.residual / double(explanations.size());
  }
  std::size_t others = 0;
  for (const FrameLine& line : lines) others += differ(line, lines.front());
  if (others == 0) return std::nullopt;
  Beyond out;
  out.residual = std::sqrt(squares);
  out.fault.kind = CauseKind::kValueRange;
  std::string shown;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, lines.size()); ++i)
    shown += (i ? ", " : "") + text(lines[i]);
  if (lines.size() > 3) shown += ", ...";
  out.fault.detail = (is_min_max(frames, reference)
                          ? "the app stretches each frame to its own least and largest value: "
                          : "the app gives each frame its own gain or offset: ") +
                     shown + " of the reference's pixels x; the reference gives all the same";
  double from_own = 0;
  for (const Explanation& e : explanations)
    from_own += e.residual_before * e.residual_before / double(explanations.size());
  out.fault.contribution = std::sqrt(from_own);
  out.fault.fix_step = fix_step(Part::kRange, reference, own);
  for (const Part part : kParts) {
    if (part == Part::kRange || !differs(first, own, part)) continue;
    InputFault fault;
    fault.kind = kind_of(part, first);
    fault.detail = describe(part, first, own, reference);
    fault.fix_step = fix_step(part, reference, own);
    for (const Difference& d : explanations.front().differences)
      if (d.part == part) fault.contribution = d.contribution;
    out.besides.push_back(std::move(fault));
  }
  // Every call runs a separate search.
  out.left = [reference, first, ranges = known_ranges(reference),
              searched = std::size_t(0)](Frame& frame) mutable -> std::optional<double> {
    if (++searched > kSearchedMore) return std::nullopt;
    const Explanation e = explain(frame, reference, ranges);
    return is_exact(e, reference) && same_but_range(e.hypothesis, first) ? e.residual : 99.0;
  };
  out.evidence.push_back({EvidenceKind::kOwnRanges, {{"left", out.residual}}});
  return out;
}

}  // namespace edgeprobe::diagnose
