// SPDX-License-Identifier: Apache-2.0
#include "diagnose/state/recording.h"

#include <algorithm>

namespace edgeprobe::diagnose::state {
namespace {

const Values* value_of(const Series& series, std::size_t step) {
  return step < series.size() && series[step] ? &*series[step] : nullptr;
}

}  // namespace

Past::Past(const Recording& recording) : recording_(recording) {
  const auto has_outputs = [&](std::size_t step) {
    return std::all_of(recording.states.begin(), recording.states.end(), [&](const State& state) {
      return value_of(recording.outputs[state.output].made, step);
    });
  };
  for (std::size_t step = 0; step < recording.steps(); ++step) {
    const bool goes_on = step > 0 && recording.frames[step] == recording.frames[step - 1] + 1 &&
                         has_outputs(step - 1);
    piece_.push_back(goes_on ? piece_.back() : step);
    first_.push_back(goes_on && !recording.begins[step] ? first_.back() : step);
  }
}

const Values* Past::made(std::size_t step, std::size_t ago, std::size_t output,
                         const State& fed) const {
  const std::size_t first = first_[step];
  if (step - first >= ago) return value_of(recording_.outputs[output].made, step - ago);
  return recording_.begins[first] ? &fed.initial : nullptr;
}

const Values* Past::made_before(std::size_t step, std::size_t ago, std::size_t output) const {
  if (step - piece_[step] < ago) return nullptr;
  return value_of(recording_.outputs[output].made, step - ago);
}

const Values* Past::fed_before(std::size_t step, const State& state) const {
  return step > first_[step] ? value_of(state.fed, step - 1) : nullptr;
}

}  // namespace edgeprobe::diagnose::state
