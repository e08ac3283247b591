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

/// Result of a search for changes of the reference's recipe, in words; the same for all kinds of
/// answers.
struct AnswerFinding {
  struct Change {
    std::string words;
    std::string fix_line;  ///< Line of NumPy; empty if none fixes it.
  };
  /// Changes that together reproduce the recorded answers.
  struct Explanation {
    std::vector<Change> changes;
    bool is_proven = false;  ///< The evidence for each of them exceeds chance.
    double bits = 0;         ///< Evidence for the weakest change, in bits.
    bool owes_ties = false;  ///< Some labels count as right only because their scores tie.
  };
  AnswerStatus status = AnswerStatus::kNotJudged;
  std::size_t frames = 0;  ///< Number of frames with answers.
  /// Number of these frames whose answer differs from the one that the reference's recipe makes.
  std::size_t unlike = 0;
  std::string parts;  ///< Parts that differ in the worst frame: "labels, scores".
  /// Explanations that fit equally well; the most usual one first.
  std::vector<Explanation> explanations;
  /// Evidence that would decide between them, if anything is open.
  std::optional<Evidence> decides;
};

/// Recorded answers of one kind.
struct JudgedAnswers {
  std::size_t answers = 0;  ///< Frames with an answer of any kind; 0: nothing to report.
  AnswerStudy study;        ///< `status` and `unlike` are taken from `found`.
  std::optional<AnswerFinding> found;
};

/// Judges the app's recorded answers against the ones a recipe makes of the target's own outputs.
/// The recipe's tables are loaded; `recipe` is null if the reference has none. Fails if the trace
/// cannot be read, and with kInterrupted.
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
Result<JudgedAnswers> judge_transcripts(const Case& known, const kinds::AnswerRecipe* recipe,
                                        const Control& control);

/// The causes that report a finding; the first one carries evidence and alternatives.
std::vector<Cause> causes_of(const AnswerFinding& found, const kinds::AnswerKind& kind);

/// Names recorded labels that resemble one name of the label file each; empty if there are none.
std::string near_labels_text(const std::map<std::string, std::string>& near,
                             const postprocess::Labels& labels);

/// If shares were recorded with one decimal, lists the further decimals as not judged. Too few
/// scores, or only 0 and 1, prove nothing.
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

/// `words(change)` and `fix_line(change)` describe one change of the search.
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

/// For changes that no line of NumPy can fix.
inline constexpr auto kNoFixLine = [](const auto&) { return std::string(); };

}  // namespace edgeprobe::diagnose
