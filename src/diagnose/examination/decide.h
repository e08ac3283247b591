// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "diagnose/input/integer_inputs.h"
#include "diagnose/replay/replays.h"

namespace edgeprobe::diagnose {

/// Effect of a cause on the target's own outputs below which it is a note: one model, one engine,
/// so nothing but the cause differs, and the floor of real numbers holds for integers too.
inline constexpr double kNoticeable = 0.02;

/// Whether the scores are those of classes: they are probabilities, or there are labels.
bool answers_are_classes(const Study& study);

/// The floor of the pair: for integers, unless one model file answered inputs that visibly differ.
/// Then nothing but the input is unlike, and the float floor holds.
double floor_of(const Study& study, const InputEvidence& input, bool quantized);

/// Task accuracies with intervals, the paired test, and top-1 agreement, of all frames that both
/// traces have; the accuracy after the fixes is that of the replayed ones.
TaskResult task_result(const Study& study, const Replays& replays);

/// Is the target significantly less often right than the reference, on the frames that both have?
/// Paired test, p < .05.
bool accuracy_lost(const Study& study);

/// The numbers that the outcome rests on.
struct Effect {
  std::optional<double> gap;  ///< Target's outputs from the reference's.
  /// The same after every confirmed fix; equals gap when nothing was fixed.
  std::optional<double> rest;
  /// Target's outputs from its own with the fixes: what the causes do.
  std::optional<double> moved;
  std::optional<double> moved_input;  ///< The same with the fixes in front of the model only.
  /// The reference's outputs, replayed with the faults in front of it, from its own.
  std::optional<double> faulty;
  /// Of inputs that could not be searched: how far they lie apart, in 255ths of the range (RMS).
  double input_steps = 0;
  std::optional<IntegerDifference> integers;  ///< Where these are whole numbers without a scale.
  std::size_t replayed = 0;                   ///< Frames that these were measured on.
  /// Target's outputs from the reference's on the recorded input.
  std::optional<double> same_input;
  double floor = 0.02;  ///< compare::output_floor() of the pair.
  /// Output values that are NaN or infinite in the target and otherwise in the reference.
  std::uint64_t broken = 0;
  /// Whether a frame has such values after every confirmed fix; nothing when not replayed.
  std::optional<bool> still_broken;
  /// One model file, and every layer of both sides was replayed on its own inputs and is right.
  bool only_rounding = false;
  /// Outputs whose shape the data make, and that have another one on both sides in some frames, or
  /// single values of which lie far apart: the sentence that says so. Empty: none has.
  std::string unlike_outputs;
  std::string uncompared;       ///< Why no outputs were compared, where the traces tell.
  bool answers_differ = false;  ///< The app makes something else of the target's own outputs.
  bool accuracy_lost = false;   ///< Paired test, p < .05, and the target is the worse one.
  /// The apps' answers agree by less than their floor allows; nothing where they are not compared.
  std::optional<double> answers_agree_by;
  /// Frames whose first class is not the reference's, of those that both answered: where they are
  /// more than answers may differ by (task::answer_floor()), else 0.
  std::size_t answers_changed = 0, answers_compared = 0;
  /// Why the outputs have no distance: shapes of "input", "reference_input", "output",
  /// "reference_output", where they differ.
  std::map<std::string, Value> unlike;
};
Effect effect_of(const Study& study, const InputEvidence& input, const Replays& replays,
                 const TaskResult& task, double floor);

/// " by 0.42 (relative_l2, floor 0.025)".
std::string by_distance(double distance, const std::string& kind, double floor);

/// Turns confirmed causes whose effect stays under the floor into notes, adds "unknown" when a gap
/// above the floor, or values that are not finite, are left, then sets outcome, headline and
/// would_decide.
void decide(Verdict& verdict, const Effect& effect, const InputEvidence& input, Gate gate);

}  // namespace edgeprobe::diagnose
