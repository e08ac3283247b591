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
#include "task/user_metric.h"
#include "trace/read/reader.h"

namespace edgeprobe::diagnose {

/// Rule that decides between agrees and differs.
enum class Gate {
  kOutputs,   ///< Outputs beyond the floor, or a significant loss of accuracy.
  kAccuracy,  ///< Only a significant loss of accuracy.
};
/// "outputs" or "accuracy"; nothing for any other text.
constexpr std::optional<Gate> gate_from_name(std::string_view text) {
  if (text == "outputs") return Gate::kOutputs;
  if (text == "accuracy") return Gate::kAccuracy;
  return std::nullopt;
}

/// Everything known about one deployment; never modified. Pointers are borrowed; the comments say
/// what is missing where one may be null.
struct Case {
  const trace::Reader* target = nullptr;
  const trace::Reader* reference = nullptr;  ///< The reference's run of the same frames.
  /// Null: no recipe to search from, and no constants.
  pipeline::Pipeline* reference_pipeline = nullptr;
  /// The target's own model, used for `restored`; may be null. Its recipe is not used.
  pipeline::Pipeline* target_model = nullptr;
  const pipeline::TraceSamples* raw = nullptr;  ///< Raw inputs of the target's frames.
  /// Outputs fed back as inputs of the next frame, besides those that traces and models declare.
  std::vector<pipeline::CarriedState> states = {};
  /// `reference_pipeline` made the reference's trace, on this machine.
  bool reference_replayed = true;
  /// `target_model` made the target's trace, on this machine.
  bool target_ran_here = false;
  /// Run each counterfactual input, also if a trace holds the answer of the same computation.
  bool exhaustive = false;
  /// The reference's recipe is a default, not the user's: findings that depend on it are not
  /// confirmed, except the range if an integer input states it.
  bool guessed_recipe = false, stated_range = false;
  Gate gate = Gate::kOutputs;
  /// Answers the reference makes of the outputs, with loaded tables for classes. Unset: its recipe
  /// has no such part.
  std::optional<kinds::AnswerRecipe> answers;
  std::size_t input_frames = 5;  ///< Number of frames used to diagnose pre-processing.
  std::size_t max_replay = 500;  ///< Number of frames of counterfactual replays, evenly spread.
  std::size_t pictures = 4;      ///< Number of samples whose inputs are shown as pictures.
  /// RMSE over range above which the first layer counts as different. Unset: the rules of
  /// compare/first_difference.h.
  std::optional<double> first_above;
  task::Terms terms;                   ///< How recorded answers of the apps are read.
  task::UserMetric* metric = nullptr;  ///< Judges the outputs instead of the task; may be null.
  /// Pairs of tensors that the caller maps to each other.
  std::vector<compare::MappedNames> mapping = {};

  bool operator==(const Case&) const = default;
};

/// Case::mapping as names only.
compare::Mapping mapping_of(const Case& known);

}  // namespace edgeprobe::diagnose
