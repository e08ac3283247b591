// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/input/finders.h"

#include <algorithm>

#include "core/text.h"
#include "diagnose/input/text_inputs.h"
#include "diagnose/replay/crossed.h"
#include "diagnose/tokens/search.h"

namespace edgeprobe::diagnose {
namespace {

/// At most this many alternative explanations are reported with the first.
constexpr std::size_t kMostAlternatives = 8;

std::string joined(const std::vector<std::string>& parts, const char* by) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : by) + part;
  return out;
}

std::string words_of(const tokens::Explanation& explanation) {
  std::vector<std::string> all;
  for (const tokens::Change& change : explanation.changes) all.push_back(change.words);
  return joined(all, ", and ");
}

/// Name of the recipe step that a change violates.
std::string step_for(tokens::Part part, const text::FrontEnd& reference) {
  std::string name;
  switch (part) {
    using enum tokens::Part;
    case kSpecial:
    case kFirst:
    case kLast:
    case kBetween: name = "special"; break;
    case kCutSide:
    case kCutSpecial:
    case kLength: name = "truncate"; break;
    case kPadSide:
    case kPadId:
    case kPadding: name = "pad"; break;
    case kMask: name = "mask"; break;
    case kTypes: name = "types"; break;
    case kFirstPosition:
    case kPositionOfPadding: name = "positions"; break;
    default: return "";
  }
  for (const preprocess::Spelled& step : preprocess::spelled(preprocess::recipe_of(reference)))
    if (step.text.substr(0, name.size()) == name) return step.text;
  return "";
}

/// Number of frames that differ and of frames compared; of the whole trace if all of it was
/// compared.
std::pair<std::size_t, std::size_t> extent_of(const TextInputs& inputs,
                                              const tokens::Finding& found) {
  if (inputs.unlike.size() < found.unlike.size()) return {found.unlike.size(), found.frames};
  return {inputs.unlike.size(), inputs.compared};
}

Evidence unlike(const TextInputs& inputs, const tokens::Finding& found) {
  const auto [frames, of] = extent_of(inputs, found);
  return {EvidenceKind::kTextUnlike,
          {{"frames", frames}, {"of", of}, {"inputs", joined(found.unlike_inputs, ", ")}}};
}

/// The first id that differs, with its text if the tokenizer can decode it.
Result<Evidence> first_difference(const Case& known, const TextInputs& inputs,
                                  const tokens::Finding& found, const Control& control) {
  const tokens::FirstDifference& first = found.first;
  auto words = known.reference_pipeline->tokenizer->words(
      {first.is_further ? 0 : first.own, first.is_missing ? 0 : first.recorded}, control);
  if (!words && words.error().kind == ErrorKind::kInterrupted) return std::move(words.error());
  const auto shown = [&](bool absent, std::int64_t id, std::size_t which) {
    if (absent) return std::string("nothing");
    const bool has_word = words && (*words)[which];
    return std::to_string(id) + (has_word ? " '" + *(*words)[which] + "'" : "");
  };
  const tokens::Observation& one = inputs.observations[first.observation];
  return Evidence{EvidenceKind::kTextFirstDifference,
                  {{"frame", std::int64_t{one.frame}},
                   {"place", first.place},
                   {"reference", shown(first.is_further, first.own, 0)},
                   {"target", shown(first.is_missing, first.recorded, 1)},
                   {"text", one.texts.empty() ? std::string() : sanitized(one.texts.front(), 80)}}};
}

Cause cause_in_front() {
  Cause cause;
  cause.status = CauseStatus::kPartial;
  cause.stage = CauseStage::kPreprocessing;
  return cause;
}

/// "; in 3 of 60 frames, first at frame 7" if only some frames differ, or they follow each other.
std::string where_text(const TextInputs& inputs, const tokens::Finding& found,
                       const tokens::Change& change) {
  const bool of_some = found.status == tokens::SearchStatus::kSomeFrames;
  if (!of_some && !change.is_of_order) return "";
  auto [frames, of] = extent_of(inputs, found);
  std::uint32_t first = inputs.unlike.empty() ? inputs.observations[found.unlike.front()].frame
                                              : inputs.unlike.front();
  // With another change present, not every frame that differs shows this one.
  if (change.shown_by.size() < found.unlike.size()) {
    frames = change.shown_by.size();
    of = found.frames;
    if (frames > 0) first = inputs.observations[change.shown_by.front()].frame;
  }
  return "; in " + std::to_string(frames) + " of " + std::to_string(of) +
         " frames, first at frame " + std::to_string(first);
}

std::vector<Cause> explained(const TextInputs& inputs, const tokens::Finding& found,
                             const text::FrontEnd& reference) {
  std::vector<Cause> causes;
  const tokens::Explanation& first = found.explanations.front();
  for (const tokens::Change& change : first.changes) {
    Cause cause = cause_in_front();
    cause.kind = change.kind;
    if (first.is_proven) cause.status = CauseStatus::kConfirmed;
    cause.detail = change.words + where_text(inputs, found, change);
    cause.fix_step = step_for(change.part, reference);
    causes.push_back(std::move(cause));
  }
  Cause& told = causes.front();
  told.evidence.push_back(unlike(inputs, found));
  const std::size_t given =
      found.status == tokens::SearchStatus::kExact ? found.frames : found.unlike.size();
  told.evidence.push_back(
      {EvidenceKind::kTextReproduced, {{"frames", given}, {"changes", first.changes.size()}}});
  if (first.is_of_one_text) {
    told.alternatives.push_back("the app tokenizes another text than the one that it logged");
    told.evidence.push_back({EvidenceKind::kTextDecides, {{"text", "a second text"}}});
    return causes;
  }
  if (!first.is_proven)
    told.evidence.push_back({EvidenceKind::kTextFit, {{"bits", first.proof.bits}}});
  if (!found.would_decide.empty())
    told.evidence.push_back({EvidenceKind::kTextDecides, {{"text", found.would_decide}}});
  for (std::size_t i = 1; i < found.explanations.size(); ++i) {
    if (told.alternatives.size() == kMostAlternatives) {
      told.alternatives.push_back("and " + std::to_string(found.explanations.size() - i) + " more");
      break;
    }
    told.alternatives.push_back(words_of(found.explanations[i]));
  }
  return causes;
}

Result<std::vector<Cause>> unexplained(const Case& known, const TextInputs& inputs,
                                       const tokens::Finding& found, const Control& control) {
  Cause cause = cause_in_front();
  cause.kind = CauseKind::kUnknown;
  cause.detail =
      "the app makes other inputs of the recorded texts than the reference's recipe does";
  if (found.explanations.empty()) cause.detail += ", and no change that is known gives them";
  else
    cause.detail += "; the nearest change, which does not give them either: " +
                    words_of(found.explanations.front());
  cause.evidence.push_back(unlike(inputs, found));
  if (std::find(found.unlike_inputs.begin(), found.unlike_inputs.end(), "ids") !=
      found.unlike_inputs.end()) {
    EP_TRY(auto first, first_difference(known, inputs, found, control));
    cause.evidence.push_back(std::move(first));
  }
  return std::vector<Cause>{std::move(cause)};
}

/// Names of the reference's inputs that differ.
std::set<std::string> differing(const TextInputs& inputs, const tokens::Finding& found) {
  std::set<std::string> names;
  for (const auto& [role, name] : inputs.names)
    if (std::find(found.unlike_inputs.begin(), found.unlike_inputs.end(), text::name(role)) !=
        found.unlike_inputs.end())
      names.insert(name);
  return names;
}

/// Measures how these inputs move the reference's answers, and how much the right ones restore.
Status weigh(Findings& findings, const Examination& examined, const std::set<std::string>& names,
             const Control& control) {
  const Study& study = examined.study;
  const Replays& replays = examined.replays;
  const compare::OutputDistance kind = study.agreement.output_distance_kind;
  EP_TRY(auto with, reference_with(study, names, replays.target.frames, control));
  const auto gap = mean_distance(kind, replays.reference, replays.target);
  const auto moved = mean_distance(kind, replays.reference, with);
  const auto left = mean_distance(kind, with, replays.target);
  if (gap && moved && left) {
    findings.causes.front().evidence.push_back(
        {EvidenceKind::kReferenceWithFaultDistance,
         {{"distance", *left}, {"without", *gap}, {"kind", name(kind)}}});
    if (*gap <= examined.floor || *moved <= examined.floor)
      for (Cause& cause : findings.causes)
        if (cause.status == CauseStatus::kConfirmed) cause.status = CauseStatus::kNote;
  }
  std::vector<Cause*> confirmed;
  for (Cause& cause : findings.causes)
    if (cause.status == CauseStatus::kConfirmed) confirmed.push_back(&cause);
  if (confirmed.empty()) return {};
  EP_TRY(auto fixed, on_reference_input(study, replays.target.frames, control));
  // A single replay fixes all of them.
  for (Cause* cause : confirmed)
    cause->restored_unavailable = Unavailable{UnavailableKind::kWithNextFix};
  confirmed.back()->restored_unavailable.reset();
  if (fixed) findings.repaired_input = *std::move(fixed);
  else
    confirmed.back()->restored_unavailable =
        Unavailable{study.known.target_model ? UnavailableKind::kReferenceInputDoesNotFit
                                             : UnavailableKind::kNoTargetModel};
  return {};
}

}  // namespace

Result<Findings> find_text(const Examination& examined, const Control& control) {
  const Case& known = examined.study.known;
  Findings findings;
  auto inputs = text_inputs(examined.study, control);
  if (!inputs) return std::move(inputs.error()).during("texts of the target's trace");
  if (!inputs->skipped.empty()) {
    findings.warnings.push_back("the texts were not compared with the model input: " +
                                inputs->skipped);
    return findings;
  }
  pipeline::Tokenizer& tokenizer = *known.reference_pipeline->tokenizer;
  const auto& reference = *std::get<const text::FrontEnd*>(examined.study.input.front_end);
  tokens::Problem problem(reference, inputs->observations,
                          {[&](const std::vector<std::vector<std::string>>& texts,
                               const std::vector<text::TextStep>& before, const std::string& edit) {
                             return tokenizer.encode(texts, before, edit, control);
                           },
                           tokenizer.edits(),
                           [&](const std::vector<std::int64_t>& ids) {
                             const auto said = tokenizer.text_of(ids, control);
                             return said ? *said : std::string();
                           }});
  auto found = tokens::search(problem, control);
  if (!found) return std::move(found.error()).during("texts of the target's trace");
  switch (found->status) {
    case tokens::SearchStatus::kAgrees: return findings;
    case tokens::SearchStatus::kExact:
    case tokens::SearchStatus::kSomeFrames:
      findings.causes = explained(*inputs, *found, reference);
      break;
    case tokens::SearchStatus::kPartial:
    case tokens::SearchStatus::kUnknown: {
      EP_TRY(findings.causes, unexplained(known, *inputs, *found, control));
    }
  }
  EP_CHECK(weigh(findings, examined, differing(*inputs, *found), control));
  return findings;
}

}  // namespace edgeprobe::diagnose
