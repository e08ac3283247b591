// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/control.h"
#include "diagnose/case/case.h"
#include "diagnose/verdict/evidence.h"
#include "diagnose/verdict/verdict.h"
#include "kinds/answer_kinds.h"
#include "postprocess/recipe.h"

namespace edgeprobe::diagnose {

/// What a search for changes of the reference's recipe found, in words. Whatever the answers are.
struct AnswerFinding {
  struct Change {
    std::string words;
    std::string fix_line;  ///< NumPy; empty: none.
  };
  /// Changes that give the recorded answers together.
  struct Explanation {
    std::vector<Change> changes;
    bool is_proven = false;  ///< More than luck speaks for each of them.
    double bits = 0;         ///< Of the change that has the least.
    bool owes_ties = false;  ///< Some labels are right because their scores tie.
  };
  AnswerStatus status = AnswerStatus::kNotJudged;
  std::size_t frames = 0;  ///< With answers.
  std::size_t unlike = 0;  ///< Of these: with another answer than the reference's recipe makes.
  std::string parts;       ///< That differ in the worst of these: "labels, scores".
  std::vector<Explanation> explanations;  ///< That fit equally, most usual first.
  std::optional<Evidence> decides;        ///< What would decide between them, if anything is open.
};

/// Recorded answers of one kind.
struct JudgedAnswers {
  std::size_t answers = 0;  ///< Frames with an answer of any kind; 0: nothing is to be said.
  AnswerStudy study;        ///< `status` and `unlike` are those of `found`.
  std::optional<AnswerFinding> found;
};

/// Judges answers that the app recorded by what a recipe makes of the target's own outputs. The
/// tables of the recipe are loaded; null where the reference has none. Fails when the trace does,
/// and with kInterrupted.
using JudgeAnswers = Result<JudgedAnswers> (*)(const Case& known, const kinds::AnswerRecipe* recipe,
                                               const Control& control);
Result<JudgedAnswers> judge_classes(const Case& known, const kinds::AnswerRecipe* recipe,
                                    const Control& control);
Result<JudgedAnswers> judge_boxes(const Case& known, const kinds::AnswerRecipe* recipe,
                                  const Control& control);
Result<JudgedAnswers> judge_masks(const Case& known, const kinds::AnswerRecipe* recipe,
                                  const Control& control);
Result<JudgedAnswers> judge_points(const Case& known, const kinds::AnswerRecipe* recipe,
                                   const Control& control);
Result<JudgedAnswers> judge_vectors(const Case& known, const kinds::AnswerRecipe* recipe,
                                    const Control& control);
Result<JudgedAnswers> judge_scores(const Case& known, const kinds::AnswerRecipe* recipe,
                                   const Control& control);

/// The causes that a finding is told as; evidence and alternatives stand at the first.
std::vector<Cause> causes_of(const AnswerFinding& found, const kinds::AnswerKind& kind);

/// Of labels that share their words with one name of the label file each; empty: there is none.
std::string near_labels_text(const std::map<std::string, std::string>& near,
                             const postprocess::Labels& labels);

/// Lists the further decimals among the parts that are not judged where shares were recorded to
/// one. Too few scores, and saturated ones of 0 and 1, cannot tell.
void add_hidden_decimals(const std::vector<float>& scores, std::vector<std::string>& not_judged);

/// "labels, scores".
std::string parts_text(const std::vector<std::string>& parts, const char* by = ", ");

template <class SearchStatus>
AnswerStatus answer_status(SearchStatus status) {
  switch (status) {
    case SearchStatus::kAgrees: return AnswerStatus::kAgrees;
    case SearchStatus::kExact: return AnswerStatus::kExplained;
    case SearchStatus::kSomeFrames: return AnswerStatus::kSomeFrames;
    case SearchStatus::kPartial: return AnswerStatus::kPartial;
    case SearchStatus::kUnknown: break;
  }
  return AnswerStatus::kUnknown;
}

/// `words(change)`, `fix_line(change)`: of one change of the search.
template <class Finding, class Words, class FixLine>
AnswerFinding in_words(const Finding& found, std::string parts, Words words, FixLine fix_line) {
  AnswerFinding out;
  out.status = answer_status(found.status);
  out.frames = found.frames;
  out.unlike = found.unlike.size();
  out.parts = std::move(parts);
  for (const auto& explanation : found.explanations) {
    AnswerFinding::Explanation& told = out.explanations.emplace_back();
    for (const auto& change : explanation.changes)
      told.changes.push_back({words(change), fix_line(change)});
    told.is_proven = explanation.is_proven;
    told.bits = explanation.proof.bits;
    if constexpr (requires { explanation.owes_ties; }) told.owes_ties = explanation.owes_ties;
  }
  return out;
}

/// For changes that no line of NumPy mends.
inline constexpr auto kNoFixLine = [](const auto&) { return std::string(); };

}  // namespace edgeprobe::diagnose
