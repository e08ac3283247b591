// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/control.h"
#include "culprit/analysis.h"
#include "diagnose/case.h"
#include "diagnose/counterfactual.h"
#include "diagnose/input_scale.h"
#include "diagnose/preprocessing/diagnosis.h"
#include "diagnose/verdict.h"

namespace edgeprobe::diagnose {

/// A case with what is known of it from the two traces alone.
struct Study {
  const Case& known;
  compare::Agreement agreement;
  /// By the target's frame: from the traces and the joined data.
  std::map<std::uint32_t, task::Annotation> annotations;
  std::optional<task::Reading> task;  ///< What the outputs answer, and which of them.
};
Result<Study> study(const Case& known, const Control& control);
/// The reference's frame by the target's.
std::map<std::uint32_t, std::uint32_t> partners(const Study& study);

/// What the pre-processing search found, and the frames that it looked at.
struct InputEvidence {
  std::optional<InputDiagnosis> diagnosis;
  std::vector<std::string> without_raw;  ///< What can be said when there is no raw input.
  std::optional<Hint> undecided;         ///< When there is no diagnosis: what would decide it.
  /// The model input differs from what a guessed recipe makes: that is no fault.
  bool against_guess = false;
  std::string app_recipe;  ///< With that: what the app does, when it was found.
  /// "in 15 of 60 frames" when the rest is fed as the reference feeds it; else empty.
  std::string where;
  std::string otherwise;  ///< Of frames in which something else differs; else empty.
  /// When the codes of the target's input cannot hold what the recipe makes.
  std::optional<InputScale> scale;
  /// Of frames in which nothing of the picture arrives, when others have another fault.
  std::vector<InputFault> empty;
  /// The target's frames that the diagnosis does not hold for, ascending.
  std::vector<std::uint32_t> not_with;
};
Result<InputEvidence> examine_input(const Study& study, const Control& control);
/// Whether the nearest explanation reproduces the model input but for a step or so of many.
bool is_nearly(const InputEvidence& input);

/// Replays that were made to confirm causes and to measure what is restored.
struct Replays {
  Answers reference, target;  ///< Recorded answers of the replayed frames.
  /// The target's model with every fix applied; empty when not replayed.
  Answers fixed;
  std::vector<Answers> after;  ///< After fix 1, 1+2, …
  /// The first so many fixes have no entry there: they are made together with the next.
  std::size_t together = 0;
  /// Distance of the recorded target from its model on the reconstructed input.
  std::optional<double> reproduced;
  /// The reference's model on the recorded inputs; when no fault was found.
  std::optional<Answers> same_input;
  /// The reference, fed with its own inputs through the codes of the target's.
  std::optional<Answers> through_codes;
  std::optional<Answers> faulty_reference;  ///< The reference model, replayed with the faults.
  /// The same without them, when `reference` was not recorded by that model on this machine.
  std::optional<Answers> own_reference;
  /// The target's model with causes inside it mended too, one after the other.
  std::vector<Answers> mended_steps;
  /// Why there are no `mended_steps` although a cause is inside the model.
  std::optional<Unavailable> not_mended;
  std::optional<Unavailable> unavailable;  ///< Why there is no replay.
};
/// `inside`: also with what was found in the model repaired; null when nothing is.
Result<Replays> replay_fixes(const Study& study, const InputEvidence& input,
                             const culprit::Analysis* inside, const Control& control);

/// The causes of a found or partial input diagnosis, without `restored`.
std::vector<Cause> input_causes(const InputEvidence& input);
/// Fills restored, and evidence from the replays.
void add_restored(std::vector<Cause>& causes, const Study& study, const Replays& replays);

}  // namespace edgeprobe::diagnose
