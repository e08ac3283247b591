// SPDX-License-Identifier: Apache-2.0
#include "diagnose/answers/judged.h"
#include "diagnose/postprocessing/boxes/search.h"
#include "diagnose/postprocessing/boxes/wording.h"
#include "diagnose/recorded/places.h"
#include "postprocess/detection/reported.h"

namespace edgeprobe::diagnose {
namespace {

std::vector<std::string> unlike_boxes(const boxes::Parts& parts) {
  if (!parts.fits) return {"everything"};
  std::vector<std::string> out;
  if (parts.count > 0) out.emplace_back("number of boxes");
  if (parts.boxes > 0) out.emplace_back("boxes");
  if (parts.labels > 0) out.emplace_back("labels");
  if (parts.scores > 0) out.emplace_back("scores");
  if (parts.points > 0) out.emplace_back("points");
  return out;
}

std::vector<std::string> judged_parts(const boxes::Finding& found) {
  std::vector<std::string> out{"boxes"};
  if (found.judged == boxes::Judged::kNames) out.emplace_back("labels");
  if (found.judged == boxes::Judged::kNumbers) out.emplace_back("classes");
  if (found.has_scores) out.emplace_back("scores");
  if (found.judges_points) out.emplace_back("points");
  return out;
}

}  // namespace

Result<JudgedAnswers> judge_boxes(const Case& known, const kinds::AnswerRecipe* recipe,
                                  const Control& control) {
  const auto& reference = std::get<postprocess::detection::Recipe>(*recipe);
  EP_TRY(const auto recorded, recorded_boxes(known, reference));
  JudgedAnswers out;
  out.answers = recorded.answers;
  out.study.recipe = to_text(reference);
  out.study.frames = recorded.frames.size();
  out.study.skipped = recorded.why_not;
  if (!out.study.skipped.empty()) return out;
  const auto searched = boxes::search(recorded.frames, recorded.recipe, recorded.model, control);
  if (!searched && searched.error().kind == ErrorKind::kInterrupted) return searched.error();
  if (!searched) {
    out.study.skipped = searched.error().what;
    return out;
  }
  out.study.judged = judged_parts(*searched);
  std::vector<float> scores;
  for (const boxes::RecordedFrame& frame : recorded.frames)
    if (frame.answer.scores)
      scores.insert(scores.end(), frame.answer.scores->begin(), frame.answer.scores->end());
  add_hidden_decimals(scores, out.study.not_judged);
  if (has_points(reference) && !searched->judges_points)
    out.study.not_judged.emplace_back("points, of which each box has another number");
  out.study.has_wrong_names = !searched->near_labels.empty();
  if (reference.labels)
    out.study.skipped = near_labels_text(searched->near_labels, *reference.labels);
  const auto words = [&](const boxes::Change& change) {
    return boxes::words(change, recorded.recipe);
  };
  out.found = in_words(*searched, parts_text(unlike_boxes(searched->before)), words, kNoFixLine);
  return out;
}

}  // namespace edgeprobe::diagnose
