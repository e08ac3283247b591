// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/input/inner_state.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "diagnose/replay/crossed.h"
#include "pipeline/carry.h"
#include "pipeline/inputs/recorded_inputs.h"

namespace edgeprobe::diagnose {
namespace {

/// Limited because every reset loads a new session.
constexpr std::size_t kMostFrames = 200;
/// Largest fraction of the distance (with the state reset correctly) that may remain under the
/// reset schedule that is named.
constexpr double kLeft = 0.1;

using Frames = std::set<std::uint32_t>;

struct Schedule {
  const char* words;
  Frames resets;
  std::optional<double> distance = {};
};

std::vector<Schedule> schedules(const std::vector<std::uint32_t>& frames, const Frames& meant) {
  std::vector<Schedule> all{{"set back before every step", {frames.begin(), frames.end()}},
                            {"never set back", {}},
                            {"set back one step late", {}},
                            {"set back one step early", {}},
                            {"set back one step late", {}},  // Applies to the first sequence, too.
                            {"set back only at every other beginning", {}}};
  bool take = false;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    if (!meant.count(frames[i])) continue;
    if (i + 1 < frames.size()) all[2].resets.insert(frames[i + 1]);
    all[3].resets.insert(frames[i - 1]);
    if (take) all[5].resets.insert(frames[i]);
    take = !take;
  }
  all[4].resets = all[2].resets;
  all[4].resets.insert(frames[1]);
  // The first frame starts fresh anyway; a schedule equal to the correct one or to another one
  // proves nothing.
  Frames own = meant;
  own.erase(frames.front());
  std::vector<Schedule> out;
  for (Schedule& one : all) {
    one.resets.erase(frames.front());
    const bool known =
        one.resets == own || std::any_of(out.begin(), out.end(), [&](const Schedule& other) {
          return other.resets == one.resets;
        });
    if (!known) out.push_back(std::move(one));
  }
  return out;
}

std::optional<std::uint32_t> first_apart(compare::OutputDistance kind, const Answers& a,
                                         const Answers& b, double floor) {
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    const auto apart =
        mean_distance(kind, {{a.frames[i]}, {a.outputs[i]}}, {{b.frames[i]}, {b.outputs[i]}});
    if (apart && *apart > floor) return a.frames[i];
  }
  return std::nullopt;
}

}  // namespace

Result<Findings> find_inner_state(const Examination& examined, const Control& control) {
  Findings findings;
  const Study& study = examined.study;
  const Case& known = study.known;
  if (study.states || !known.reference_pipeline || !known.reference_pipeline->refused.empty() ||
      !pipeline::keeps_state(*known.reference_pipeline))
    return findings;
  std::vector<std::uint32_t> frames;
  Frames meant;
  const pipeline::RecordedInputs recorded_in(*known.target);
  for (const std::uint32_t frame : known.target->frames()) {
    if (frames.size() == kMostFrames || (!frames.empty() && frame != frames.back() + 1)) break;
    frames.push_back(frame);
    if (recorded_in.begins_sequence(frame)) meant.insert(frame);
  }
  for (std::size_t i = 1; known.raw && i < known.raw->samples.size(); ++i)
    if (known.raw->samples[i].begins_sequence) meant.insert(known.raw->frames[i]);
  if (frames.size() < 2) return findings;
  EP_TRY(auto target, recorded(*known.target, frames));
  const compare::OutputDistance kind = study.agreement.output_distance_kind;
  EP_TRY(auto as_meant, with_resets(*known.reference_pipeline, study, frames, meant, control));
  if (!as_meant) return findings;
  const auto apart = mean_distance(kind, *as_meant, target);
  if (!apart || *apart <= examined.floor) return findings;
  auto tried = schedules(frames, meant);
  for (Schedule& one : tried) {
    EP_TRY(auto answers,
           with_resets(*known.reference_pipeline, study, frames, one.resets, control));
    if (answers) one.distance = mean_distance(kind, *answers, target);
  }
  const double limit = std::min(examined.floor, kLeft * *apart);
  std::erase_if(tried, [&](const Schedule& one) { return !one.distance || *one.distance > limit; });
  if (tried.empty()) return findings;
  std::stable_sort(tried.begin(), tried.end(),
                   [](const Schedule& a, const Schedule& b) { return *a.distance < *b.distance; });
  Cause cause;
  cause.kind = CauseKind::kState;
  cause.status = CauseStatus::kConfirmed;
  cause.stage = CauseStage::kState;
  cause.detail = std::string("the state inside the model is ") + tried.front().words;
  if (const auto first = first_apart(kind, *as_meant, target, examined.floor))
    cause.detail += "; first at frame " + std::to_string(*first);
  for (std::size_t i = 1; i < tried.size(); ++i)
    if (std::string_view(tried[i].words) != tried.front().words)
      cause.alternatives.push_back(tried[i].words);
  // There is only one sequence, or the recording does not mark where sequences begin.
  if (meant.empty()) {
    cause.status = CauseStatus::kPartial;
    cause.detail += " (the recording does not say where sequences begin)";
  }
  cause.evidence.push_back(
      {EvidenceKind::kReferenceWithFaultDistance,
       {{"distance", *tried.front().distance}, {"without", *apart}, {"kind", name(kind)}}});
  if (cause.status == CauseStatus::kConfirmed) {
    std::optional<Answers> right;
    if (known.target_model && pipeline::keeps_state(*known.target_model)) {
      EP_TRY(right, with_resets(*known.target_model, study, frames, meant, control));
    }
    const auto& replayed = examined.replays.target.frames;
    if (right && right->frames == replayed) findings.repaired_input = std::move(right);
    else
      cause.restored_unavailable = Unavailable{right ? UnavailableKind::kFramesNotReplayed
                                                     : UnavailableKind::kNoTargetModel};
  }
  findings.causes.push_back(std::move(cause));
  return findings;
}

}  // namespace edgeprobe::diagnose
