// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "contract/parts/parts.h"
#include "contract/summary.h"
#include "core/text.h"
#include "stats/proportion.h"

namespace edgeprobe::contract {
namespace {

// The most frequent class has become too frequent: a stuck answer.
Finding alike_finding(double most, const Evidence& evidence) {
  Finding finding = passing_of_all("answers.most_alike");
  finding.bound = "at most " + percent(most);
  const auto alike = alike_of(evidence);
  if (!alike) {
    finding.state = State::kCannotTell;
    finding.why = "the trace has no class scores";
    finding.cure = "record the model's outputs";
    return finding;
  }
  const double share = static_cast<double>(alike->part) / static_cast<double>(alike->all);
  finding.frames = alike->all;
  finding.value = percent(share) + " are class " + std::to_string(alike->index);
  if (share <= most) return finding;
  const bool sure = stats::wilson(alike->part, alike->all).low > most;
  finding.state = sure ? State::kFails : State::kCannotTell;
  finding.why = sure ? "too many frames have one and the same class: an answer that is stuck"
                     : "too few frames to distinguish a stuck answer from chance";
  finding.cure = sure ? "look at the model's input: edgeprobe report and edgeprobe diagnose"
                      : "check more frames";
  return finding;
}

Finding metric_finding(const AnswerTerms& terms, const Evidence& evidence) {
  Finding finding = passing_of_all("answers.metric");
  finding.bound = (terms.lower_is_better ? "at most " : "at least ") + number(*terms.least, 4);
  const auto metric = metric_of(evidence);
  if (!metric || metric->name != terms.metric) {
    finding.state = State::kCannotTell;
    finding.why =
        metric ? "the contract has " + sanitized(terms.metric, 60) + ", the trace " + metric->name
               : "no frame has a label or another annotation that the answers can be scored by";
    finding.cure =
        metric ? "give the metric of the contract with --metric" : "give them with --labels FILE";
    return finding;
  }
  finding.frames = metric->frames;
  finding.value = number(metric->value, 4);
  const bool worse =
      terms.lower_is_better ? metric->value > *terms.least : metric->value < *terms.least;
  if (!worse) return finding;
  const bool sure =
      terms.lower_is_better ? metric->ci95.low > *terms.least : metric->ci95.high < *terms.least;
  finding.state = sure ? State::kFails : State::kCannotTell;
  finding.why = sure ? metric->name + " is worse than the contract allows"
                     : "too few frames to distinguish a loss from chance";
  finding.cure = sure ? "edgeprobe check names the cause" : "check more frames";
  return finding;
}

// Judges the app's recorded answers frame by frame.
template <class Breaks>
Finding by_frame(const std::string& id, const std::string& bound, const Evidence& evidence,
                 const Breaks& breaks) {
  Finding finding = passing(id);
  finding.bound = bound;
  for (const auto& [channel, frames] : evidence.figures.answers)
    for (const auto& [frame, answer] : frames) {
      const std::optional<std::string> value = breaks(answer);
      ++finding.frames;
      if (!value || finding.failing++ > 0) continue;
      set_frame(finding, frame, evidence.figures);
      finding.value = *value;
    }
  if (finding.failing > 0) finding.state = State::kFails;
  if (finding.frames == 0) {
    finding.state = State::kCannotTell;
    finding.why = "the app recorded no answer";
    finding.cure = "record it with frame.answer(…), or give a recipe with a half after '||'";
  }
  return finding;
}

}  // namespace

std::vector<Finding> check_answers(const AnswerTerms& terms, const Evidence& evidence) {
  std::vector<Finding> findings;
  if (terms.most_alike) findings.push_back(alike_finding(*terms.most_alike, evidence));
  if (terms.least) findings.push_back(metric_finding(terms, evidence));
  if (!terms.parts.empty()) {
    std::string listed;
    for (const std::string& part : terms.parts)
      listed += (listed.empty() ? "" : ", ") + sanitized(part, 40);
    Finding parts = by_frame(
        "answers.parts", listed, evidence,
        [&](const AnswerFigures& answer) -> std::optional<std::string> {
          for (const std::string& part : answer.parts)
            if (std::find(terms.parts.begin(), terms.parts.end(), part) == terms.parts.end())
              return "also " + part;
          return std::nullopt;
        });
    std::set<std::string> seen;
    for (const auto& [channel, frames] : evidence.figures.answers)
      for (const auto& [frame, answer] : frames)
        seen.insert(answer.parts.begin(), answer.parts.end());
    for (const std::string& part : terms.parts)
      if (parts.state == State::kPasses && seen.count(part) == 0) {
        parts.state = State::kFails;
        parts.of_all_frames = true;  // A part that is missing so far may occur in a later frame.
        parts.value = "never " + sanitized(part, 40);
      }
    if (parts.state == State::kFails) {
      parts.why = "the app answers in another form";
      parts.cure = "fix the app's answer, or 'edgeprobe contract update'";
    }
    findings.push_back(std::move(parts));
  }
  if (terms.items) {
    Finding items = by_frame("answers.items", "within " + text_of(*terms.items), evidence,
                             [&](const AnswerFigures& answer) -> std::optional<std::string> {
                               if (!answer.items) return std::nullopt;
                               const double n = static_cast<double>(*answer.items);
                               if (n >= terms.items->low && n <= terms.items->high)
                                 return std::nullopt;
                               return std::to_string(*answer.items) + " items";
                             });
    if (items.state == State::kFails) {
      items.why = "an answer has more or fewer items than ever";
      items.cure = "check threshold, top-k and suppression after the model, or widen 'items'";
    }
    findings.push_back(std::move(items));
  }
  if (terms.scores) {
    const double more = 0.1 * (terms.scores->high - terms.scores->low) + 1e-5;
    const Span bound{terms.scores->low - more, terms.scores->high + more};
    Finding scores = by_frame("answers.scores", "within " + text_of(bound), evidence,
                              [&](const AnswerFigures& answer) -> std::optional<std::string> {
                                if (!answer.score || !answer.least_score) return std::nullopt;
                                if (*answer.least_score < bound.low)
                                  return number(*answer.least_score, 5);
                                if (*answer.score > bound.high) return number(*answer.score, 5);
                                return std::nullopt;
                              });
    if (scores.state == State::kFails) {
      scores.why = "a score is outside the scores of the contract";
      scores.cure =
          "check softmax, dequantisation and threshold after the model, or widen 'scores'";
    }
    findings.push_back(std::move(scores));
  }
  return findings;
}

}  // namespace edgeprobe::contract
