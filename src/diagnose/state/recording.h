// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/shape.h"

/// Models with memory: compares the inputs of a step with the outputs of earlier steps. Both were
/// recorded, so no replay is needed.
namespace edgeprobe::diagnose::state {

using Values = std::vector<double>;
/// Values of a tensor in each step; nothing if a step has none.
using Series = std::vector<std::optional<Values>>;

/// An output of the model, a state or not.
struct Output {
  std::string name;
  Series made;
};

/// An input of the model that is an output of the previous step.
struct State {
  std::string input;
  std::size_t output = 0;  ///< Index into Recording::outputs.
  Shape shape;             ///< Shape of the input.
  Series fed;
  Values initial;    ///< Value at the beginning of a sequence.
  Values zero = {};  ///< Zero as stored: the zero points of codes. Empty: 0.
};

struct Recording {
  /// Frame number of each step, ascending; a gap is a lost step.
  std::vector<std::uint32_t> frames;
  std::vector<bool> begins;  ///< True if a sequence begins with this step.
  std::vector<Output> outputs;
  std::vector<State> states;

  std::size_t steps() const { return frames.size(); }
};

/// The recorded steps before a step.
class Past {
 public:
  explicit Past(const Recording& recording);

  /// Cannot be judged: the previous step, or its outputs, were not recorded, and no sequence begins
  /// here.
  bool is_cut(std::size_t step) const { return first_[step] == step && !recording_.begins[step]; }
  bool is_start(std::size_t step) const { return recording_.begins[step]; }
  /// The first step of the sequence, or of its recorded part without a gap.
  std::size_t first(std::size_t step) const { return first_[step]; }
  /// The output from `ago` steps earlier; before the beginning of the sequence, the initial value
  /// of `fed`. Null if not recorded.
  const Values* made(std::size_t step, std::size_t ago, std::size_t output, const State& fed) const;
  /// The same regardless of beginnings; null across a gap.
  const Values* made_before(std::size_t step, std::size_t ago, std::size_t output) const;
  /// The state's input in the previous step; null in the first step of a sequence.
  const Values* fed_before(std::size_t step, const State& state) const;

 private:
  const Recording& recording_;
  std::vector<std::size_t> first_, piece_;
};

}  // namespace edgeprobe::diagnose::state
