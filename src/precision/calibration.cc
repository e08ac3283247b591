// SPDX-License-Identifier: Apache-2.0
#include "precision/calibration.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::precision {

Result<Ranges> ranges_of(StepRunner& runner, std::vector<Values> frames, const Control& control) {
  const std::vector<Step>& steps = runner.steps();
  Ranges ranges;
  const auto last = last_readers(steps, {});
  const auto widen = [&](int tensor, const Tensor& value) -> Status {
    if (value.spec.dtype != DType::kFloat32) return {};
    const auto values = to_float(value);
    if (!values) return values.error();
    for (const float v : *values) {
      if (!std::isfinite(v)) continue;
      auto& range = ranges.try_emplace(tensor, v, v).first->second;
      range = {std::min(range.first, v), std::max(range.second, v)};
    }
    return {};
  };
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (control.progress) control.progress(s + 1, steps.size(), "steps calibrated");
    for (Values& known : frames) {
      if (control.stopped()) return interrupted();
      for (const int tensor : steps[s].part.inputs)
        if (const auto found = known.find(tensor); found != known.end())
          if (auto done = widen(tensor, found->second); !done) return std::move(done.error());
      auto made = runner.exact(s, known);
      if (!made) return std::move(made.error());
      for (const auto& [tensor, value] : made->outputs)
        if (auto done = widen(tensor, value); !done) return std::move(done.error());
      keep(s, last, *made, known);
    }
  }
  return ranges;
}

}  // namespace edgeprobe::precision
