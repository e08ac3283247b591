// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/input/finders.h"

#include <algorithm>
#include <optional>
#include <set>

#include "core/text.h"
#include "diagnose/detectors/input/tensor_units.h"
#include "diagnose/examination/examination.h"
#include "diagnose/input/integer_inputs.h"
#include "diagnose/replay/crossed.h"
#include "pipeline/carry.h"
#include "pipeline/inputs/recorded_inputs.h"

namespace edgeprobe::diagnose {
namespace {

Evidence evidence_of(const TensorInput& input, const std::optional<IntegerDifference>& integers) {
  static constexpr const char* kStates[] = {"equal", "rounding", "differs"};
  Evidence seen{EvidenceKind::kStage,
                {{"frames", input.frames},
                 {"state", kStates[static_cast<std::size_t>(input.state)]},
                 {"stage", "input " + input.name}}};
  if (integers) {
    seen.values.merge(values_of(*integers));
    seen.values.erase("input");
    return seen;
  }
  const compare::Distances& d = input.distances;
  if (d.rmse) seen.values.emplace("rmse", *d.rmse);
  if (d.rmse_over_range) seen.values.emplace("rmse_over_range", *d.rmse_over_range);
  if (d.max_abs) seen.values.emplace("max_abs", *d.max_abs);
  return seen;
}

// Adds to the evidence where an input without a named cause differs.
void add_where(const tensors::Where& where, Evidence& seen) {
  if (where.frames == 0) return;
  seen.values.emplace("equal_share", double(where.equal) / double(where.values));
  seen.values.emplace("differing_frames", where.frames);
  seen.values.emplace("first_frame", std::int64_t{where.first});
  seen.values.emplace("following_frames", where.following);
  if (where.of_other_frames) seen.values.emplace("of_other_frames", where.of_other_frames);
  for (const tensors::Where::Span& span : where.spans)
    seen.values.emplace("axis_" + std::to_string(span.axis.number),
                        std::vector<double>{double(span.from), double(span.to), double(span.held),
                                            double(span.axis.size)});
}

// Replays a model with state on all of the target's frames in order, with resets at the beginnings
// of sequences. Nothing if frames were left out.
Result<std::optional<Answers>> with_state_kept(const Study& study,
                                               const std::vector<std::uint32_t>& frames,
                                               const Control& control) {
  if (frames.size() != study.agreement.frames.size() ||
      !std::is_sorted(frames.begin(), frames.end()))
    return std::optional<Answers>();
  const pipeline::RecordedInputs recorded(*study.known.target);
  std::set<std::uint32_t> begins;
  for (const std::uint32_t frame : frames)
    if (recorded.begins_sequence(frame)) begins.insert(frame);
  return with_resets(*study.known.reference_pipeline, study, frames, begins, control);
}

// The reference's answers when only these inputs are the app's; all other inputs are its own, and
// carried states are computed again, since an error in one step changes the next. Nothing if that
// cannot be replayed.
Result<std::optional<Answers>> effect_of(const Study& study, const std::set<std::string>& names,
                                         bool are_all, const std::vector<std::uint32_t>& frames,
                                         const Control& control) {
  pipeline::Pipeline* const reference = study.known.reference_pipeline;
  if (!reference) return std::optional<Answers>();
  if (pipeline::keeps_state(*reference))
    return are_all ? with_state_kept(study, frames, control)
                   : Result<std::optional<Answers>>(std::optional<Answers>());
  if (study.states) return with_states_carried(*reference, study, frames, {false, names}, control);
  EP_TRY(auto answers, reference_with(study, names, frames, control));
  return std::optional(std::move(answers));
}

}  // namespace

Result<Findings> find_tensor_inputs(const Examination& examined, const Control& control) {
  const Study& study = examined.study;
  Findings findings;
  // Known changes of carried states are reported as separate causes.
  if (examined.states.found.empty())
    for (const std::string& state : differing_states(study))
      findings.warnings.push_back(
          "the carried state '" + sanitized(state, 80) +
          "' differs from the reference's in the frames of a sequence: it is "
          "a result of the frames before, or was begun anew elsewhere");
  const std::vector<TensorInput> inputs = tensor_inputs(study);
  EP_TRY(const auto units, tensor_units(study, inputs, control));
  if (units.empty()) return findings;
  const compare::OutputDistance kind = study.agreement.output_distance_kind;
  const Replays& both = examined.replays;
  const auto gap = mean_distance(kind, both.reference, both.target);
  for (const TensorUnit& unit : units) {
    Cause cause;
    cause.kind = unit.kind;
    cause.alternatives = unit.alternatives;
    cause.status = CauseStatus::kPartial;
    cause.stage = CauseStage::kPreprocessing;
    cause.detail = unit.detail;
    for (const TensorInput& input : inputs) {
      EP_TRY(const auto integers,
             integer_difference(study, input.target_name, input.name, control));
      cause.evidence.push_back(evidence_of(input, integers));
      if (unit.names.count(input.name) && !integers) add_where(unit.where, cause.evidence.back());
    }
    EP_TRY(const auto with,
           effect_of(study, unit.names, units.size() == 1, both.target.frames, control));
    const auto moved = with ? mean_distance(kind, both.reference, *with) : std::nullopt;
    const auto left = with ? mean_distance(kind, *with, both.target) : std::nullopt;
    if (gap && moved && left) {
      cause.evidence.push_back({EvidenceKind::kReferenceWithFaultDistance,
                                {{"distance", *left}, {"without", *gap}, {"kind", name(kind)}}});
      cause.status = *gap <= examined.floor || *moved <= examined.floor ? CauseStatus::kNote
                                                                        : CauseStatus::kConfirmed;
    } else if (unit.is_named && units.size() == 1) {
      // The change reproduces the recorded input, and it is the only difference before the model.
      const bool off = broken_frames(both.reference, both.target) > 0;
      if (gap || off)
        cause.status = off || *gap > examined.floor ? CauseStatus::kConfirmed : CauseStatus::kNote;
    }
    findings.causes.push_back(std::move(cause));
  }
  const bool confirmed =
      std::any_of(findings.causes.begin(), findings.causes.end(),
                  [](const Cause& cause) { return cause.status == CauseStatus::kConfirmed; });
  if (!confirmed) return findings;
  EP_TRY(auto fixed, on_reference_input(study, both.target.frames, control));
  if (fixed) findings.repaired_input = *std::move(fixed);
  for (Cause& cause : findings.causes)
    if (!findings.repaired_input && cause.status == CauseStatus::kConfirmed)
      cause.restored_unavailable =
          Unavailable{study.known.target_model ? UnavailableKind::kReferenceInputDoesNotFit
                                               : UnavailableKind::kNoTargetModel};
  return findings;
}

}  // namespace edgeprobe::diagnose
