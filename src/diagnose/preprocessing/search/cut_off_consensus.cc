// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "diagnose/preprocessing/search/consensus.h"

namespace edgeprobe::diagnose {
namespace {

using Status = Explanation::Status;

constexpr std::size_t kOthers = 4;  ///< Ranges named in addition to the first.

// The first frame's hypotheses that fit each frame whose codes are cut off.
std::vector<Hypothesis> common_fits(const std::vector<Explanation>& explanations) {
  std::vector<Hypothesis> common;
  bool first = true;
  for (const Explanation& e : explanations) {
    if (!e.destroyed || e.status != Status::kFound) continue;
    if (first) common = e.fitting;
    std::erase_if(common, [&](const Hypothesis& h) {
      return std::none_of(e.fitting.begin(), e.fitting.end(), [&](const Hypothesis& other) {
        return h.range.name == other.range.name && same(h, other);
      });
    });
    first = false;
  }
  return common;
}

}  // namespace

void agree_on_range(Consensus& c, std::vector<Frame>& frames,
                    const std::vector<Explanation>& explanations, std::size_t decided,
                    const Reference& reference, const Hypothesis& own) {
  std::size_t agreeing = 0;
  for (std::size_t i = 0; i < explanations.size(); ++i) {
    c.agrees[i] = explanations[i].destroyed && explanations[i].status == Status::kFound;
    agreeing += c.agrees[i];
  }
  const std::vector<Hypothesis> common = common_fits(explanations);
  c.status = Status::kPartial;
  if (common.empty() || agreeing * 2 <= decided) return;
  const auto is_other = [&](const Hypothesis& h) {
    return !same(with(h, common.front(), Part::kRange), common.front());
  };
  if (std::any_of(common.begin(), common.end(), is_other)) return;
  c.status = Status::kFound;
  c.residual = 0;
  c.hypothesis = common.front();
  c.differences = {{Part::kRange, c.residual_before}};
  for (std::size_t i = 1; i < common.size() && c.same_ranges.size() < kOthers; ++i)
    if (!common[i].range.composed) c.same_ranges.push_back(common[i].range.name);
  for (const Part part : kParts) {
    if (part == Part::kRange || !differs(c.hypothesis, own, part)) continue;
    // In the reference's range, where codes are not cut off.
    const Hypothesis only = with(own, c.hypothesis, part);
    double sum = 0;
    for (Frame& frame : frames) {
      const auto from = pixels(frame, reference, own), other = pixels(frame, reference, only);
      if (!from || !other) continue;
      const auto made = stored_values(*other, reference, only);
      sum += residual_of(*from, made, reference, own, mean_gain(own.range.gain));
    }
    c.differences.push_back({part, sum / double(frames.size())});
  }
}

}  // namespace edgeprobe::diagnose
