// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/shape.h"

/// Models with a memory: what went into a step against what had come out of the steps before. No
/// replay is needed, since both were recorded.
namespace edgeprobe::diagnose::state {

using Values = std::vector<double>;
/// A tensor over the steps; nothing in a step that holds none.
using Series = std::vector<std::optional<Values>>;

/// An output of the model, a state or not.
struct Output {
  std::string name;
  Series made;
};

/// An input of the model that is an output of the step before.
struct State {
  std::string input;
  std::size_t output = 0;  ///< Index into Recording::outputs.
  Shape shape;             ///< As the input has it.
  Series fed;
  Values initial;    ///< At the beginning of a sequence.
  Values zero = {};  ///< As stored: zero points of codes. Empty: 0.
};

struct Recording {
  std::vector<std::uint32_t> frames;  ///< Number of each step, ascending; a gap is a lost step.
  std::vector<bool> begins;           ///< Whether a sequence begins with this step.
  std::vector<Output> outputs;
  std::vector<State> states;

  std::size_t steps() const { return frames.size(); }
};

/// What a step has behind it.
class Past {
 public:
  explicit Past(const Recording& recording);

  /// Nothing to judge: the step before was not recorded, or without its outputs, and no sequence
  /// begins here.
  bool is_cut(std::size_t step) const { return first_[step] == step && !recording_.begins[step]; }
  bool is_start(std::size_t step) const { return recording_.begins[step]; }
  /// The first step of the sequence, or of what is recorded of it without a gap.
  std::size_t first(std::size_t step) const { return first_[step]; }
  /// The output as it was `ago` steps before. Before the sequence's beginning that is the initial
  /// value of the state that is fed. Null where that is not recorded.
  const Values* made(std::size_t step, std::size_t ago, std::size_t output, const State& fed) const;
  /// The same without regard to beginnings; null across a gap.
  const Values* made_before(std::size_t step, std::size_t ago, std::size_t output) const;
  /// The state's input of the step before; null at the first of a sequence.
  const Values* fed_before(std::size_t step, const State& state) const;

 private:
  const Recording& recording_;
  std::vector<std::size_t> first_, piece_;
};

}  // namespace edgeprobe::diagnose::state
