// SPDX-License-Identifier: Apache-2.0
#include "diagnose/examination/causes.h"

#include <algorithm>

#include "core/index.h"
#include "core/text.h"
#include "diagnose/replay/quality.h"

namespace edgeprobe::diagnose {
namespace {

// A difference of less than one 8-bit step (RMS) is rounding, even if some recipe step could
// imitate it: real, but never a cause.
constexpr double kVisibleSteps = 1;
// Fractions of the squared input distance: a note explains at least half, a nearest explanation
// nearly all.
constexpr double kWorthNoting = 0.5, kWorthNaming = 0.9;
// An explanation that reproduces the input within these limits gets status kNearly.
constexpr double kNearlyExplains = 0.99, kNearlySteps = 1.5;

// A repair counts if at most this fraction of the output distance is left.
constexpr double kBroughtBack = 0.7;
// If more than this is left, nothing was restored: the fault in the logits does not reach the
// outputs.
constexpr double kNothing = 0.98;

double explained_share(const InputDiagnosis& diagnosis) {
  return diagnosis.residual_before > 0
             ? std::max(0.0, 1 - diagnosis.residual * diagnosis.residual /
                                     (diagnosis.residual_before * diagnosis.residual_before))
             : 0;
}

}  // namespace

bool is_nearly(const InputEvidence& input) {
  return input.diagnosis && !input.against_guess &&
         input.diagnosis->status == InputDiagnosis::Status::kPartial &&
         !input.diagnosis->faults.empty() && input.diagnosis->residual <= kNearlySteps &&
         explained_share(*input.diagnosis) >= kNearlyExplains;
}

std::vector<Cause> input_causes(const InputEvidence& input) {
  const InputDiagnosis& diagnosis = *input.diagnosis;
  const std::string where = input.where.empty() ? "" : input.where + " ";
  std::vector<Cause> causes;
  const double explained_variance = explained_share(diagnosis);
  const auto add = [&](const InputFault& fault, CauseStatus status) {
    Cause cause;
    cause.kind = fault.kind;
    cause.status = status;
    cause.stage = CauseStage::kPreprocessing;
    // The texts of these faults already name the frames.
    const bool counted = is_without_picture(fault.kind);
    cause.detail = (counted ? "" : where) + fault.detail;
    cause.alternatives = fault.alternatives;
    cause.explained_variance = explained_variance;
    cause.contribution = fault.contribution;
    // Non-finite values have no distance.
    if (fault.kind == CauseKind::kNonFiniteInput || fault.kind == CauseKind::kByteOrder)
      cause.contribution = cause.explained_variance = std::nullopt;
    if (status == CauseStatus::kConfirmed || status == CauseStatus::kNote)
      cause.fix_step = fault.fix_step;
    causes.push_back(std::move(cause));
  };
  // Explained variance of a note: relative to the distance that returns if only this fault is left
  // unrepaired.
  const auto add_note = [&](const InputFault& fault) {
    const double own = fault.contribution > 0 ? 1 - diagnosis.residual * diagnosis.residual /
                                                        (fault.contribution * fault.contribution)
                                              : 0;
    if (std::min(own, explained_variance) < kWorthNoting) return;
    add(fault, CauseStatus::kNote);
    causes.back().explained_variance = own;
  };
  switch (diagnosis.status) {
    case InputDiagnosis::Status::kFound:
      for (const InputFault& fault : diagnosis.faults)
        if (fault.contribution < kVisibleSteps && !is_without_picture(fault.kind)) add_note(fault);
        else add(fault, fault.near_only ? CauseStatus::kNearly : CauseStatus::kConfirmed);
      break;
    case InputDiagnosis::Status::kPartial: {
      if (input.against_guess && !input.app_recipe.empty()) {
        for (const InputFault& fault : diagnosis.faults)
          if (fault.contribution >= kVisibleSteps) add(fault, CauseStatus::kPartial);
        break;
      }
      if (is_nearly(input)) {
        for (const InputFault& fault : diagnosis.faults)
          if (fault.contribution >= kVisibleSteps) add(fault, CauseStatus::kNearly);
        break;
      }
      Cause cause;
      cause.kind = CauseKind::kUnknown;
      cause.status = CauseStatus::kPartial;
      cause.stage = CauseStage::kPreprocessing;
      cause.detail =
          where + "the model input differs and " +
          (diagnosis.reason.empty() ? "no known change reproduces it" : diagnosis.reason) +
          (input.place.empty() ? "" : "; " + input.place);
      // A guess that explains less would mislead.
      if (!diagnosis.faults.empty() && explained_variance >= kWorthNaming) {
        cause.detail += "; nearest: " + diagnosis.faults.front().detail;
        for (std::size_t i = 1; i < diagnosis.faults.size(); ++i)
          cause.detail += "; and " + diagnosis.faults[i].detail;
        cause.explained_variance = explained_variance;
      } else if (input.is_shown) {
        cause.detail += kSeePictures;
      }
      causes.push_back(std::move(cause));
      break;
    }
    case InputDiagnosis::Status::kUndecidable:
      if (!where.empty()) {
        Cause cause;
        cause.kind = CauseKind::kUnknown;
        cause.status = CauseStatus::kPartial;
        cause.stage = CauseStage::kPreprocessing;
        cause.detail =
            where + "the model input differs, and cannot be searched: " + diagnosis.reason;
        causes.push_back(std::move(cause));
      }
      break;
    case InputDiagnosis::Status::kEqual: break;
  }
  const auto shares = [](const Cause& c) {
    return c.contribution && c.status != CauseStatus::kNote;
  };
  const auto sharing =
      static_cast<std::size_t>(std::count_if(causes.begin(), causes.end(), shares));
  for (Cause& cause : causes)
    if (shares(cause)) cause.together = sharing;
  if (!causes.empty()) causes.front().evidence = diagnosis.evidence;
  for (const InputFault& fault : input.empty) {
    add(fault, CauseStatus::kConfirmed);
    causes.back().explained_variance = std::nullopt;
    causes.back().restored_unavailable = Unavailable{UnavailableKind::kFramesNotReplayed};
  }
  if (!input.otherwise.empty()) {
    Cause cause;
    cause.kind = CauseKind::kUnknown;
    cause.status = CauseStatus::kPartial;
    cause.stage = CauseStage::kPreprocessing;
    cause.detail = input.otherwise;
    causes.push_back(std::move(cause));
  }
  for (const InputFault& note : diagnosis.notes) add_note(note);
  return causes;
}

void add_restored(std::vector<Cause>& causes, const Study& study, const Replays& replays) {
  const compare::OutputDistance kind = study.agreement.output_distance_kind;
  const auto right_on = [&](const Answers& answers) { return quality_of(study, answers).value; };
  const auto target = right_on(replays.target);
  const auto gap = mean_distance(kind, replays.reference, replays.target);
  const auto say = [&](Cause& cause, const Answers& after) {
    if (const auto share = right_on(after)) {
      cause.restored = *share;
      cause.restored_unit = study.known.metric ? RestoredUnit::kMetric : RestoredUnit::kAccuracy;
    } else if (const auto left = mean_distance(kind, replays.reference, after);
               left && gap && *gap > 0) {
      cause.restored = std::max(0.0, 1 - *left / *gap);
      cause.restored_unit = RestoredUnit::kOutputDistance;
    } else {
      cause.restored_unavailable = Unavailable{UnavailableKind::kOutputsNotComparable};
    }
  };
  std::size_t fix = 0, together = 0;
  Cause* last_kernel = nullptr;
  for (Cause& cause : causes) {
    if (cause.status != CauseStatus::kConfirmed) continue;
    if (cause.repaired_by >= 0) {
      if (cause.kind == CauseKind::kKernel && last_kernel)
        last_kernel->restored_unavailable = Unavailable{UnavailableKind::kKernelsAtOnce};
      if (cause.kind == CauseKind::kKernel) last_kernel = &cause;
      else if (static_cast<std::size_t>(cause.repaired_by) < replays.repaired_steps.size())
        say(cause, replays.repaired_steps[static_cast<std::size_t>(cause.repaired_by)]);
      else cause.restored_unavailable = replays.not_repaired;
    }
    const bool in_front =
        cause.stage == CauseStage::kPreprocessing || cause.stage == CauseStage::kState;
    if (!in_front || cause.restored_unavailable) continue;
    if (together < replays.together) {
      ++together;
      cause.restored_unavailable = Unavailable{UnavailableKind::kWithNextFix};
      continue;
    }
    if (fix >= replays.after.size()) {
      cause.restored_unavailable = replays.unavailable;
      continue;
    }
    say(cause, replays.after[fix++]);
  }
  if (last_kernel && !replays.repaired_steps.empty())
    say(*last_kernel, replays.repaired_steps.front());
  else if (last_kernel) last_kernel->restored_unavailable = replays.not_repaired;
  const auto first = std::find_if(causes.begin(), causes.end(), [](const Cause& c) {
    return c.status == CauseStatus::kConfirmed && c.stage == CauseStage::kPreprocessing;
  });
  if (first == causes.end()) return;
  if (replays.faulty_reference) {
    const auto share = right_on(*replays.faulty_reference);
    const auto distance = mean_distance(kind, *replays.faulty_reference, replays.target);
    if (share && target && !study.known.metric)
      first->evidence.push_back({EvidenceKind::kReferenceWithFaultAccuracy,
                                 {{"accuracy", *share}, {"target_accuracy", *target}}});
    if (distance && gap)
      first->evidence.push_back(
          {EvidenceKind::kReferenceWithFaultDistance,
           {{"distance", *distance}, {"without", *gap}, {"kind", name(kind)}}});
  }
  if (replays.reproduced)
    first->evidence.push_back({EvidenceKind::kTargetReproduced,
                               {{"distance", *replays.reproduced}, {"kind", name(kind)}}});
}

std::optional<std::size_t> judge_by_repair(std::vector<Cause>& causes, const Study& study,
                                           const Replays& replays, double floor) {
  const compare::OutputDistance kind = study.agreement.output_distance_kind;
  const bool fed_right = replays.after.empty();
  const Answers& reference = fed_right && replays.same_input && !replays.same_input->outputs.empty()
                                 ? *replays.same_input
                                 : replays.reference;
  const auto left = [&](const Answers& answers) { return mean_distance(kind, reference, answers); };
  int last = -1;
  for (Cause& cause : causes) {
    if (cause.repaired_by < 0 || at(cause.repaired_by) >= replays.repaired_steps.size()) continue;
    const Answers& without = cause.repaired_by > 0
                                 ? replays.repaired_steps[at(cause.repaired_by - 1)]
                             : fed_right ? replays.target
                                         : replays.after.back();
    const Answers& with = replays.repaired_steps[at(cause.repaired_by)];
    const auto before = left(without), after = left(with);
    const auto broken = broken_frames(reference, without);
    if (cause.status == CauseStatus::kNote && broken > 0 && broken_frames(reference, with) == 0) {
      cause.status = CauseStatus::kConfirmed;
      cause.evidence.push_back({EvidenceKind::kRepairFinite, {{"frames", broken}}});
    } else if (cause.status == CauseStatus::kNote && before && after && *before > floor &&
               *after <= kBroughtBack * *before) {
      cause.status = CauseStatus::kConfirmed;
      cause.evidence.push_back(
          {EvidenceKind::kRepairRestores,
           {{"before", *before}, {"after", *after}, {"floor", floor}, {"kind", name(kind)}}});
    }
    if (cause.status == CauseStatus::kConfirmed && broken == 0 && before && after && *before > 0 &&
        *after > kNothing * *before &&
        !quality_of(study, with).is_better_than(quality_of(study, without))) {
      cause.status = CauseStatus::kNote;
      cause.evidence.push_back({EvidenceKind::kRepairWithoutEffect,
                                {{"before", *before}, {"after", *after}, {"kind", name(kind)}}});
    }
    if (cause.status == CauseStatus::kConfirmed) last = std::max(last, cause.repaired_by);
  }
  return last >= 0 ? std::optional(at(last)) : std::nullopt;
}

}  // namespace edgeprobe::diagnose
