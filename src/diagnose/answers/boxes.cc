// SPDX-License-Identifier: Apache-2.0
#include "diagnose/answers/boxes.h"

#include <algorithm>
#include <map>

#include "core/text.h"
#include "diagnose/answers/recorded_boxes.h"
#include "diagnose/postprocessing/boxes/search.h"
#include "diagnose/postprocessing/boxes/wording.h"
#include "trace/read/answers.h"

namespace edgeprobe::diagnose {
namespace {

// Other explanations that are told beside the first.
constexpr std::size_t kMostOthers = 8;

AnswerStatus answer_status(boxes::SearchStatus status) {
  switch (status) {
    case boxes::SearchStatus::kAgrees: return AnswerStatus::kAgrees;
    case boxes::SearchStatus::kExact: return AnswerStatus::kExplained;
    case boxes::SearchStatus::kSomeFrames: return AnswerStatus::kSomeFrames;
    case boxes::SearchStatus::kPartial: return AnswerStatus::kPartial;
    case boxes::SearchStatus::kUnknown: break;
  }
  return AnswerStatus::kUnknown;
}

std::string unlike_words(const boxes::Parts& parts) {
  if (!parts.fits) return "everything";
  std::string out;
  const auto add = [&out](bool differs, const char* what) {
    if (differs) out += (out.empty() ? "" : ", ") + std::string(what);
  };
  add(parts.count > 0, "number of boxes");
  add(parts.boxes > 0, "boxes");
  add(parts.labels > 0, "labels");
  add(parts.scores > 0, "scores");
  return out;
}

std::string all_words(const boxes::Explanation& explanation, const boxes::Recipe& recipe) {
  std::string out;
  for (const boxes::Change& change : explanation.changes)
    out += (out.empty() ? "" : ", and ") + boxes::words(change, recipe);
  return out;
}

Cause behind_the_detector(std::string detail) {
  Cause cause;
  cause.kind = CauseKind::kPostprocessing;
  cause.stage = CauseStage::kOutputs;
  cause.detail = std::move(detail);
  cause.restored_unavailable = Unavailable{UnavailableKind::kBehindTheModel};
  return cause;
}

Evidence unlike_evidence(const boxes::Finding& found) {
  return {EvidenceKind::kAnswersUnlike,
          {{"frames", found.unlike.size()},
           {"of", found.frames},
           {"parts", unlike_words(found.before)}}};
}

Cause unexplained_boxes(const boxes::Finding& found, const boxes::Recipe& recipe) {
  Cause cause = behind_the_detector(
      "the app makes other boxes of the recorded outputs than the reference's recipe does");
  if (found.explanations.empty())
    cause.detail += ", and no change of the recipe that is known gives them";
  else
    cause.detail += "; the nearest recipe, which does not give them either: " +
                    all_words(found.explanations.front(), recipe);
  cause.evidence.push_back(unlike_evidence(found));
  return cause;
}

std::vector<Cause> causes_of(const boxes::Finding& found, const boxes::Recipe& recipe) {
  std::vector<Cause> out;
  if (found.unlike.empty()) return out;
  const bool is_whole = found.status == boxes::SearchStatus::kExact;
  if (found.explanations.empty() ||
      (!is_whole && found.status != boxes::SearchStatus::kSomeFrames)) {
    out.push_back(unexplained_boxes(found, recipe));
    return out;
  }
  const boxes::Explanation& first = found.explanations.front();
  for (const boxes::Change& change : first.changes) {
    Cause cause = behind_the_detector(boxes::words(change, recipe));
    cause.status = first.is_proven ? CauseStatus::kConfirmed : CauseStatus::kPartial;
    if (!is_whole)
      cause.detail += "; in " + std::to_string(found.unlike.size()) + " of " +
                      std::to_string(found.frames) + " frames";
    out.push_back(std::move(cause));
  }
  Cause& cause = out.front();
  cause.evidence.push_back(unlike_evidence(found));
  cause.evidence.push_back({EvidenceKind::kAnswersReproduced,
                            {{"frames", is_whole ? found.frames : found.unlike.size()},
                             {"changes", first.changes.size()}}});
  if (!first.is_proven)
    cause.evidence.push_back({EvidenceKind::kAnswersFit, {{"bits", first.bits}}});
  for (std::size_t i = 1; i < found.explanations.size(); ++i) {
    if (cause.alternatives.size() == kMostOthers) {
      cause.alternatives.push_back("and " + std::to_string(found.explanations.size() - i) +
                                   " more");
      break;
    }
    cause.alternatives.push_back(all_words(found.explanations[i], recipe));
  }
  return out;
}

}  // namespace

Result<Findings> find_boxes(const Examination& examined,
                            const postprocess::detection::Recipe& recipe, const Control& control) {
  Findings found;
  const Case& known = examined.study.known;
  auto recorded = recorded_boxes(known, recipe);
  if (!recorded) return std::move(recorded.error()).during("boxes of the app");
  AnswerStudy study;
  study.recipe = postprocess::detection::to_text(recipe);
  study.frames = recorded->frames.size();
  if (recorded->answers == 0) return found;
  study.skipped = recorded->why_not;
  if (study.skipped.empty()) {
    auto searched = boxes::search(recorded->frames, recorded->recipe, recorded->model, control);
    if (!searched && searched.error().kind == ErrorKind::kInterrupted)
      return std::move(searched.error());
    if (!searched) {
      study.skipped = searched.error().what;
    } else {
      study.status = answer_status(searched->status);
      study.unlike = searched->unlike.size();
      study.judged.emplace_back("boxes");
      if (searched->judged == boxes::Judged::kNames) study.judged.emplace_back("labels");
      if (searched->judged == boxes::Judged::kNumbers) study.judged.emplace_back("classes");
      if (searched->has_scores) study.judged.emplace_back("scores");
      found.causes = causes_of(*searched, recorded->recipe);
    }
  }
  if (!study.skipped.empty()) found.warnings.push_back("the app's boxes: " + study.skipped);
  found.answers = std::move(study);
  return found;
}

}  // namespace edgeprobe::diagnose
