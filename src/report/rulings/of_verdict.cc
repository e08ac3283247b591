// SPDX-License-Identifier: Apache-2.0
#include "report/rulings/of_verdict.h"

#include <filesystem>

#include "core/text.h"
#include "report/words/hints.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

using diagnose::Cause;
using diagnose::CauseStage;
using diagnose::CauseStatus;
using diagnose::Outcome;
using diagnose::Verdict;

Fact measured(const char* key, const std::string& title, const std::string& text,
              const std::optional<double>& number) {
  return {key, title, text, number};
}

void add_task(std::vector<Fact>& facts, const diagnose::TaskResult& task) {
  const std::string metric = metric_title(task.metric);
  const auto add = [&](const char* key, const char* whose, const std::optional<double>& value,
                       const std::optional<diagnose::Interval>& ci) {
    if (!known(value)) return;
    const std::string interval = metric_interval(task.metric, ci);
    facts.push_back(measured(
        key, metric + whose,
        metric_value(task.metric, value) + (interval.empty() ? "" : " (95 %: " + interval + ")"),
        value));
  };
  add("accuracy_target", " on the target", task.target, task.target_ci95);
  add("accuracy_reference", " of the reference", task.reference, task.reference_ci95);
  add("accuracy_fixed", " after the fix", task.fixed, task.fixed_ci95);
  if (known(task.target) || known(task.reference)) {
    facts.push_back({"metric", "", task.metric});
    facts.push_back(measured("samples", "labelled samples", std::to_string(task.n),
                             static_cast<double>(task.n)));
  }
  if (known(task.p_value))
    facts.push_back(measured("p_value", "significance",
                             p_text(task.p_value) + " (" + task.test + ")", task.p_value));
  if (known(task.top1_agreement))
    facts.push_back(measured("agreement", "answers equal to the reference's",
                             share(task.top1_agreement), task.top1_agreement));
}

std::vector<Fact> facts_of(const Verdict& verdict) {
  std::vector<Fact> facts;
  add_task(facts, verdict.task);
  if (known(verdict.output_distance))
    facts.push_back(measured(
        "output_distance", "distance of the outputs",
        decimals(verdict.output_distance, 4) + " " + distance_title(verdict.output_distance_kind),
        verdict.output_distance));
  if (known(verdict.output_floor))
    facts.push_back(measured("output_floor", "floor of that distance",
                             decimals(verdict.output_floor, 4), verdict.output_floor));
  facts.push_back(measured("frames_compared", "frames compared",
                           std::to_string(verdict.coverage.frames_compared) + " of " +
                               std::to_string(verdict.coverage.frames),
                           static_cast<double>(verdict.coverage.frames_compared)));
  return facts;
}

Ruled ruled(const Verdict& verdict, const Cause& cause) {
  switch (verdict.outcome) {
    case Outcome::kAgrees: return Ruled::kNote;
    case Outcome::kUndecided: return Ruled::kUndecided;
    case Outcome::kDiffers: break;
  }
  return cause.status == CauseStatus::kNote ? Ruled::kNote : Ruled::kFails;
}

std::string message(const Cause& cause) {
  const std::string said =
      cause.detail.empty() ? sentence(kind_title(cause.kind)) : sentence(cause.detail);
  switch (cause.status) {
    case CauseStatus::kConfirmed: break;
    case CauseStatus::kNearly: return "Nearly, except for a small rest without a name: " + said;
    case CauseStatus::kNote: return "Below the floor: " + said;
    case CauseStatus::kPartial:
      return (cause.kind == diagnose::CauseKind::kUnknown ? "Cause unknown: "
                                                          : "Cause unknown; the nearest: ") +
             said;
  }
  return said;
}

std::vector<Fact> facts_of(const Cause& cause, std::size_t rank) {
  std::vector<Fact> facts{{"confidence", "confidence", diagnose::name(cause.status)}};
  if (cause.stage) facts.push_back({"stage", "stage", diagnose::name(*cause.stage)});
  if (!cause.layer.empty()) facts.push_back({"layer", "layer", layer_text(cause)});
  if (known(cause.explained_variance))
    facts.push_back(measured("explains", "explains",
                             share(cause.explained_variance) + " of the distance",
                             cause.explained_variance));
  if (known(cause.contribution))
    facts.push_back(measured("contribution", "contributes",
                             decimals(cause.contribution, 1) + " steps of 255",
                             cause.contribution));
  if (known(cause.restored) || cause.restored_unavailable)
    facts.push_back(
        measured("restored", restored_label(rank), restored_text(cause), cause.restored));
  for (const std::string& other : cause.alternatives)
    facts.push_back({"alternative", "these data cannot distinguish it from", other});
  return facts;
}

/// The file that a fix would change: the recipe for causes before and after the model, or else the
/// model.
Place place_of(const Cause& cause, const JudgedFiles& files) {
  const bool is_of_recipe =
      cause.stage == CauseStage::kPreprocessing || cause.stage == CauseStage::kOutputs;
  for (const std::string& file : is_of_recipe ? std::vector{files.recipe, files.model, files.trace}
                                              : std::vector{files.model, files.recipe, files.trace})
    if (!file.empty()) return {file, 1};
  return {};
}

Ruling ruling_of(const Verdict& verdict, const Cause& cause, std::size_t rank,
                 const JudgedFiles& files) {
  Ruling line;
  line.rule = diagnose::name(cause.kind);
  line.id = line.rule + (cause.layer.empty() ? "" : " " + cause.layer);
  line.title =
      cause.kind == diagnose::CauseKind::kUnknown ? "cause unknown" : kind_title(cause.kind);
  line.heading = line.title;
  line.ruled = ruled(verdict, cause);
  line.message = message(cause);
  line.facts = facts_of(cause, rank);
  line.place = place_of(cause, files);
  if (cause.status != CauseStatus::kConfirmed) return line;
  if (!cause.fix_step.empty()) line.cure = "the recipe's step: " + cause.fix_step;
  for (const std::string& api : api_order(cause))
    line.code.push_back({api_title(api), cause.fix_code.at(api)});
  return line;
}

Ruling whole(const Verdict& verdict, const JudgedFiles& files) {
  Ruling line;
  line.id = line.rule = "verdict";
  line.heading = "verdict";
  line.title = "the target does what the reference does";
  line.message = headline(verdict);
  line.facts = facts_of(verdict);
  line.place = place_of({}, files);
  line.is_summary = !verdict.causes.empty();
  switch (verdict.outcome) {
    case Outcome::kAgrees: line.ruled = Ruled::kPasses; break;
    case Outcome::kDiffers: line.ruled = Ruled::kFails; break;
    case Outcome::kUndecided: line.ruled = Ruled::kUndecided; break;
  }
  if (!verdict.would_decide.empty())
    line.cure = "what would decide it: " + joined(hint_texts(verdict.would_decide), "; ");
  return line;
}

}  // namespace

Rulings rulings_of(const Verdict& verdict, const std::string& verb, const JudgedFiles& files) {
  const auto name = [](const std::string& file) {
    return std::filesystem::path(file).filename().string();
  };
  Rulings rulings;
  rulings.verb = verb;
  rulings.name = name(files.model.empty() ? files.trace : files.model);
  rulings.subject = name(files.trace.empty() ? files.model : files.trace);
  rulings.outcome = diagnose::name(verdict.outcome);
  rulings.headline = headline(verdict);
  rulings.facts = facts_of(verdict);
  rulings.would_decide = hint_texts(verdict.would_decide);
  rulings.warnings = verdict.warnings;
  rulings.lines.push_back(whole(verdict, files));
  std::size_t confirmed = 0;
  for (const Cause& cause : verdict.causes)
    rulings.lines.push_back(ruling_of(
        verdict, cause, cause.status == CauseStatus::kConfirmed ? confirmed++ : 0, files));
  return rulings;
}

}  // namespace edgeprobe::report
