// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "compare/align/by_graph.h"
#include "compare/align/names.h"
#include "kinds/answer_kinds.h"
#include "pipeline/inputs/raw_inputs.h"
#include "pipeline/run.h"
#include "task/answers/statistic.h"
#include "trace/read/reader.h"

namespace edgeprobe::diagnose {

/// What decides between agrees and differs.
enum class Gate {
  kOutputs,   ///< Outputs beyond the floor, or a significant loss of accuracy.
  kAccuracy,  ///< A significant loss of accuracy alone.
};
/// "outputs", "accuracy"; nothing for any other text.
constexpr std::optional<Gate> gate_from_name(std::string_view text) {
  if (text == "outputs") return Gate::kOutputs;
  if (text == "accuracy") return Gate::kAccuracy;
  return std::nullopt;
}

/// What is known about one deployment; nothing changes it. Pointers are borrowed; those that may be
/// null say what they bring.
struct Case {
  const trace::Reader* target = nullptr;
  const trace::Reader* reference = nullptr;  ///< The same frames in the reference.
  /// Null: no recipe to search from, no constants.
  pipeline::Pipeline* reference_pipeline = nullptr;
  /// The target's own model, for `restored`, or null. Its recipe is never looked at.
  pipeline::Pipeline* target_model = nullptr;
  const pipeline::TraceSamples* raw = nullptr;  ///< Raw inputs of the target's frames.
  /// Outputs that are inputs of the next frame, beside those that traces and models say.
  std::vector<pipeline::CarriedState> states = {};
  /// The reference's trace was made by `reference_pipeline` on this machine.
  bool reference_replayed = true;
  /// The reference's recipe is a default that nobody gave: nothing that rests on it is confirmed,
  /// but for the range when an integer input states it.
  bool guessed_recipe = false, stated_range = false;
  Gate gate = Gate::kOutputs;
  /// What the reference makes of the outputs; of classes, with their tables. Nothing: its recipe
  /// has no such part.
  std::optional<kinds::AnswerRecipe> answers;
  std::size_t input_frames = 5;  ///< Frames from which pre-processing is diagnosed.
  std::size_t max_replay = 500;  ///< Frames of counterfactual replays, evenly spread.
  std::size_t pictures = 4;      ///< Samples whose inputs are shown.
  /// RMSE over range above which the first layer counts as different; nothing: the rules of
  /// compare/first_difference.h.
  std::optional<double> first_above;
  task::Terms terms;  ///< How answers that the apps recorded are read.
  /// Tensors that belong together, as the caller says.
  std::vector<compare::MappedNames> mapping = {};

  bool operator==(const Case&) const = default;
};

/// Case::mapping as names only.
compare::Mapping mapping_of(const Case& known);

}  // namespace edgeprobe::diagnose
