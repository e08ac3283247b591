// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/input/states_cause.h"

#include <algorithm>

#include "core/text.h"
#include "diagnose/case/state_words.h"
#include "diagnose/input/tensor_inputs.h"
#include "diagnose/replay/crossed.h"

namespace edgeprobe::diagnose {
namespace {

// The initial value of most sequences does not prove that the others should begin with it.
bool is_certain(const RecordedStates& states, const state::Finding& finding) {
  return finding.is_exact() && (finding.change.source != state::Source::kOtherInitial ||
                                states.initial_of_reference[finding.states.front()]);
}

Cause cause_of(const RecordedStates& states, const state::Findings& all,
               const state::Finding& finding) {
  Cause cause;
  cause.kind =
      finding.change.source == state::Source::kUnknown ? CauseKind::kUnknown : CauseKind::kState;
  cause.status = is_certain(states, finding) ? CauseStatus::kConfirmed : CauseStatus::kPartial;
  cause.stage = CauseStage::kState;
  cause.detail = told(states, finding, all.judged);
  for (const state::Change& change : finding.alternatives)
    cause.alternatives.push_back(other_name(states, change));
  if (cause.kind == CauseKind::kState)
    cause.evidence.push_back(
        {EvidenceKind::kStateSteps,
         {{"states", names_of(states, finding)},
          {"steps", finding.steps.size()},
          {"of", all.judged},
          {"first_frame", std::int64_t{states.recording.frames[finding.steps.front()]}}}});
  return cause;
}

void warn(const RecordedStates& states, const state::Findings& all, Findings& findings) {
  for (const std::string& said : states.not_judged) findings.warnings.push_back(said);
  if (!states.assumed_begins.empty())
    findings.warnings.push_back(
        "in " + std::to_string(states.assumed_begins.size()) +
        " frames every carried state has its initial value (first: frame " +
        std::to_string(states.assumed_begins.front()) +
        "). Whether a sequence begins there, or the states are set back or not fed back, cannot "
        "be told: the recording does not say where sequences begin");
  if (all.cut > 0)
    findings.warnings.push_back("the states of " + std::to_string(all.cut) +
                                " frames could not be judged: the frame before was not recorded");
}

}  // namespace

Result<Findings> find_states(const Examination& examined, const Control& control) {
  Findings findings;
  const Study& study = examined.study;
  if (!study.states) return findings;
  const RecordedStates& states = *study.states;
  warn(states, examined.states, findings);
  for (const state::Finding& finding : examined.states.found)
    findings.causes.push_back(cause_of(states, examined.states, finding));
  std::vector<Cause*> certain;
  for (Cause& cause : findings.causes)
    if (cause.status == CauseStatus::kConfirmed) certain.push_back(&cause);
  if (certain.empty()) return findings;
  const auto inputs = tensor_inputs(study);
  const bool others_differ = std::any_of(
      inputs.begin(), inputs.end(),
      [](const TensorInput& input) { return input.state == TensorInput::State::kDiffers; });
  const Case& known = study.known;
  const Replays& replays = examined.replays;
  std::optional<Answers> right;
  if (known.target_model) {
    EP_TRY(right, with_states_carried(*known.target_model, study, replays.target.frames,
                                      {!others_differ}, control));
  }
  // A single replay fixes all of them.
  for (std::size_t i = 0; i + 1 < certain.size(); ++i)
    certain[i]->restored_unavailable = Unavailable{UnavailableKind::kWithNextFix};
  if (!right) {
    certain.back()->restored_unavailable =
        Unavailable{known.target_model ? UnavailableKind::kReferenceInputDoesNotFit
                                       : UnavailableKind::kNoTargetModel};
    return findings;
  }
  const compare::OutputDistance kind = study.agreement.output_distance_kind;
  const auto left = mean_distance(kind, replays.reference, *right);
  const auto gap = mean_distance(kind, replays.reference, replays.target);
  if (left && gap)
    certain.front()->evidence.push_back(
        {EvidenceKind::kStatesCarried,
         {{"distance", *left}, {"without", *gap}, {"kind", name(kind)}}});
  findings.repaired_input = std::move(right);
  return findings;
}

}  // namespace edgeprobe::diagnose
