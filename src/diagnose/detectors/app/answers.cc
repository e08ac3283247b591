// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/app/answers.h"

#include <array>

#include "diagnose/answers/judged.h"
#include "diagnose/recorded/recording.h"
#include "trace/read/answers.h"

namespace edgeprobe::diagnose {
namespace {

using kinds::AnswerId;

/// The judge of one kind of answer.
struct Judge {
  AnswerId id{};
  JudgeAnswers judge = nullptr;
};
constexpr std::array kJudges{
    Judge{AnswerId::kClasses, judge_classes},
    Judge{AnswerId::kBoxes, judge_boxes},
    Judge{AnswerId::kMask, judge_masks},
    Judge{AnswerId::kPoints, judge_points},
    Judge{AnswerId::kVector, judge_vectors},
    Judge{AnswerId::kScore, judge_scores},
    Judge{AnswerId::kTranscript, judge_transcripts},
};
static_assert(kinds::has_row_for_each(kJudges, kinds::kLastAnswer) &&
              kJudges.size() == std::variant_size_v<kinds::AnswerRecipe>);

}  // namespace

Result<Findings> find_answers(const Examination& examined, const Control& control) {
  Findings found;
  const Case& known = examined.study.known;
  if (trace::answer_channels(*known.target).empty()) return found;
  auto recipe = answer_recipe(known);
  if (!recipe) return std::move(recipe.error()).during("reference");
  const AnswerId id = *recipe ? kinds::id_of(**recipe) : AnswerId::kClasses;
  const kinds::AnswerKind& kind = kinds::kind_of(id);
  EP_TRY(auto judged, kJudges[static_cast<std::size_t>(id)].judge(
                          known, *recipe ? &**recipe : nullptr, control));
  if (judged.answers == 0) return found;
  AnswerStudy& study = judged.study;
  if (judged.found) {
    study.status = judged.found->status;
    study.unlike = judged.found->unlike;
    found.causes = causes_of(*judged.found, kind);
  }
  if (!study.skipped.empty())
    found.warnings.push_back(std::string("the app's ") + kind.title + ": " + study.skipped);
  found.answers = std::move(study);
  return found;
}

}  // namespace edgeprobe::diagnose
