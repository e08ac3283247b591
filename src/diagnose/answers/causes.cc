// SPDX-License-Identifier: Apache-2.0
#include "diagnose/answers/judged.h"

#include <cmath>

#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

// At most this many alternative explanations are listed with the first.
constexpr std::size_t kMostAlternatives = 8;
// With fewer scores, one decimal each may be chance; larger scores are not fractions.
constexpr std::size_t kLeastScores = 5;
constexpr float kLargestShare = 2;

Cause after_the_model(std::string detail) {
  Cause cause;
  cause.kind = CauseKind::kPostprocessing;
  cause.stage = CauseStage::kOutputs;
  cause.detail = std::move(detail);
  cause.restored_unavailable = Unavailable{UnavailableKind::kBehindTheModel};
  return cause;
}

Evidence unlike_evidence(const AnswerFinding& found) {
  return {EvidenceKind::kAnswersUnlike,
          {{"frames", found.unlike}, {"of", found.frames}, {"parts", found.parts}}};
}

std::string all_words(const AnswerFinding::Explanation& explanation) {
  std::vector<std::string> all;
  for (const AnswerFinding::Change& change : explanation.changes) all.push_back(change.words);
  return parts_text(all, ", and ");
}

Cause unexplained(const AnswerFinding& found, const kinds::AnswerKind& kind) {
  Cause cause = after_the_model(std::string("the app makes ") + kind.other +
                                " of the recorded outputs than the reference's recipe does");
  if (found.explanations.empty())
    cause.detail +=
        std::string(", and no change of the recipe that is known gives ") + kind.pronoun;
  else
    cause.detail += std::string("; the nearest recipe, which does not give ") + kind.pronoun +
                    " either: " + all_words(found.explanations.front());
  cause.evidence.push_back(unlike_evidence(found));
  return cause;
}

void add_evidence(const AnswerFinding& found, bool is_whole, Cause& cause) {
  const AnswerFinding::Explanation& first = found.explanations.front();
  cause.evidence.push_back(unlike_evidence(found));
  cause.evidence.push_back(
      {EvidenceKind::kAnswersReproduced,
       {{"frames", is_whole ? found.frames : found.unlike}, {"changes", first.changes.size()}}});
  if (!first.is_proven)
    cause.evidence.push_back({EvidenceKind::kAnswersFit, {{"bits", first.bits}}});
  if (first.owes_ties) cause.evidence.push_back({EvidenceKind::kAnswerTies, {}});
  if (found.decides) cause.evidence.push_back(*found.decides);
  for (std::size_t i = 1; i < found.explanations.size(); ++i) {
    if (cause.alternatives.size() == kMostAlternatives) {
      cause.alternatives.push_back("and " + std::to_string(found.explanations.size() - i) +
                                   " more");
      break;
    }
    cause.alternatives.push_back(all_words(found.explanations[i]));
  }
}

}  // namespace

std::string near_labels_text(const std::map<std::string, std::string>& near,
                             const postprocess::Labels& labels) {
  if (near.empty()) return "";
  const auto& [label, name] = *near.begin();
  return "lines of the label file " + in_quotes(labels.table.file) +
         " share words with the app's labels and differ from them: " + in_quotes(label, 40) +
         " is taken for " + in_quotes(name, 40) + " (" + counted(near.size(), "such label") + ")";
}

void add_hidden_decimals(const std::vector<float>& scores, std::vector<std::string>& not_judged) {
  if (scores.size() < kLeastScores) return;
  bool is_whole = true;
  for (const float score : scores) {
    const double tenths = 10 * double(score);
    if (!(score <= kLargestShare) || std::abs(tenths - std::rint(tenths)) > 1e-5) return;
    is_whole = is_whole && score == std::rint(score);
  }
  if (!is_whole) not_judged.emplace_back("decimals of scores after the first, which are not there");
}

std::string parts_text(const std::vector<std::string>& parts, const char* by) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : by) + part;
  return out;
}

std::vector<Cause> causes_of(const AnswerFinding& found, const kinds::AnswerKind& kind) {
  std::vector<Cause> out;
  if (found.unlike == 0) return out;
  const bool is_whole = found.status == AnswerStatus::kExplained;
  if (found.explanations.empty() || (!is_whole && found.status != AnswerStatus::kSomeFrames)) {
    out.push_back(unexplained(found, kind));
    return out;
  }
  const AnswerFinding::Explanation& first = found.explanations.front();
  for (const AnswerFinding::Change& change : first.changes) {
    Cause cause = after_the_model(change.words);
    cause.status = first.is_proven ? CauseStatus::kConfirmed : CauseStatus::kPartial;
    if (!is_whole)
      cause.detail += "; in " + std::to_string(found.unlike) + " of " +
                      std::to_string(found.frames) + " frames";
    if (first.is_proven && !change.fix_line.empty()) cause.fix_code["numpy"] = change.fix_line;
    out.push_back(std::move(cause));
  }
  add_evidence(found, is_whole, out.front());
  return out;
}

}  // namespace edgeprobe::diagnose
