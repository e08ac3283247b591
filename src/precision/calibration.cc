// SPDX-License-Identifier: Apache-2.0
#include "precision/steps.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace edgeprobe::precision {

namespace {

// ai-edge-quantizer 0.10: the weight of the previous frames.
constexpr float kKept = 0.95F;

using Range = std::pair<float, float>;

Status widen(const Tensor& value, int tensor, Ranges& ranges) {
  if (value.spec.dtype != DType::kFloat32) return {};
  EP_TRY(const auto values, to_float(value));
  for (const float v : values) {
    if (!std::isfinite(v)) continue;
    Range& range = ranges.try_emplace(tensor, v, v).first->second;
    range = {std::min(range.first, v), std::max(range.second, v)};
  }
  return {};
}

void take(const Ranges& frame, RangeRule rule, Ranges& ranges) {
  for (const auto& [tensor, own] : frame) {
    const auto [found, is_first] = ranges.try_emplace(tensor, own);
    Range& all = found->second;
    if (is_first) continue;
    if (rule == RangeRule::kEnds)
      all = {std::min(all.first, own.first), std::max(all.second, own.second)};
    else
      all = {kKept * all.first + (1 - kKept) * own.first,
             kKept * all.second + (1 - kKept) * own.second};
  }
}

}  // namespace

Result<Ranges> ranges_of(StepRunner& runner, std::vector<Values> frames, RangeRule rule,
                         const Control& control) {
  const std::vector<Step>& steps = runner.steps();
  const auto last = last_readers(steps, {});
  std::vector<Ranges> each(frames.size());
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (control.progress) control.progress(s + 1, steps.size(), "steps calibrated");
    for (std::size_t f = 0; f < frames.size(); ++f) {
      if (control.stopped()) return interrupted();
      Values& known = frames[f];
      for (const int tensor : steps[s].part.inputs)
        if (const auto found = known.find(tensor); found != known.end())
          EP_CHECK(widen(found->second, tensor, each[f]));
      EP_TRY(auto made, runner.exact(s, known));
      for (const auto& [tensor, value] : made.outputs) EP_CHECK(widen(value, tensor, each[f]));
      keep(s, last, made, known);
    }
  }
  Ranges ranges;
  for (const Ranges& frame : each) take(frame, rule, ranges);
  return ranges;
}

}  // namespace edgeprobe::precision
