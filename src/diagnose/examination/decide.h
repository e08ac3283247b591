// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "diagnose/input/integer_inputs.h"
#include "diagnose/replay/replays.h"

namespace edgeprobe::diagnose {

/// A cause whose effect on the target's own outputs is smaller is a note. Only the cause differs
/// there (same model and engine), so the floor for real numbers also holds for integers.
inline constexpr double kNoticeable = 0.02;

/// True if the outputs are class scores: they are probabilities, or there are class labels.
bool answers_are_classes(const Study& study);

/// True if either side computes in integers, as far as its trace or its model shows.
bool is_quantized(const Case& known);

/// Output floor of the two sides: the floor for integers if `quantized`. Exception: one model file
/// with visibly different inputs gets the float floor, since only the input differs.
double floor_of(const Study& study, const InputEvidence& input, bool quantized);

/// Task accuracies with intervals, the paired test and top-1 agreement, over all frames in both
/// traces; the accuracy after the fixes covers only the replayed frames.
TaskResult task_result(const Study& study, const Replays& replays);

/// True if the target is right significantly less often than the reference, on the frames that both
/// have. Paired test, p < .05.
bool accuracy_lost(const Study& study);

/// The numbers that determine the outcome.
struct Effect {
  std::optional<double> gap;  ///< Distance of the target's outputs from the reference's.
  /// The same after every confirmed fix; equals gap when nothing was fixed.
  std::optional<double> rest;
  /// Distance of the target's outputs from its own with the fixes: the effect of the causes.
  std::optional<double> moved;
  std::optional<double> moved_input;  ///< The same with only the fixes before the model.
  /// Distance of the reference's outputs, replayed with the faults before the model, from its own.
  std::optional<double> faulty;
  /// Distance of inputs that could not be searched, in 255ths of the range (RMS).
  double input_steps = 0;
  /// Set if these inputs are whole numbers without a scale.
  std::optional<IntegerDifference> integers;
  std::size_t replayed = 0;  ///< Number of frames on which these were measured.
  /// Distance of the target's outputs from the reference's on the recorded input.
  std::optional<double> same_input;
  double floor = 0.02;  ///< compare::output_floor() of the pair.
  /// Number of output values that are NaN or infinite in the target and not in the reference.
  std::uint64_t broken = 0;
  /// True if some frame still has such values after every confirmed fix; unset without a replay.
  std::optional<bool> still_broken;
  /// Both sides run one model file, and each layer of both was replayed on its own inputs and is
  /// right.
  bool only_rounding = false;
  /// Sentence on outputs whose data-dependent shape differs between the sides in some frames, or
  /// with single values that are far apart. Empty: there are none.
  std::string unlike_outputs;
  std::string uncompared;  ///< Why no outputs were compared, if the traces show it.
  /// The app's answers are not those the reference's recipe makes of the target's own outputs.
  bool answers_differ = false;
  bool accuracy_lost = false;  ///< Paired test, p < .05, and the target is worse.
  /// Agreement of the apps' answers if it is below their floor; else unset.
  std::optional<double> answers_agree_by;
  /// Number of frames whose first class differs from the reference's, and of frames that both
  /// answered; 0 unless they exceed the allowed number (task::answer_floor()).
  std::size_t answers_changed = 0, answers_compared = 0;
  /// Why the outputs have no distance: the differing shapes, as "input", "reference_input",
  /// "output", "reference_output".
  std::map<std::string, Value> unlike;
};
Effect effect_of(const Study& study, const InputEvidence& input, const Replays& replays,
                 const TaskResult& task, double floor);

/// " by 0.42 (relative_l2, floor 0.025)".
std::string by_distance(double distance, const std::string& kind, double floor);

/// Turns confirmed causes whose effect stays under the floor into notes. Adds "unknown" if a gap
/// above the floor or non-finite values remain. Then sets outcome, headline and would_decide.
void decide(Verdict& verdict, const Effect& effect, const InputEvidence& input, Gate gate);

}  // namespace edgeprobe::diagnose
