// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/compare/compare_result.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "compare/decision.h"
#include "core/text.h"
#include "diagnose/detectors/model/first_layer.h"
#include "report/json/verdict.h"

namespace edgeprobe::cli {
namespace {

using compare::Agreement;
using compare::LayerAgreement;
using compare::TaskAgreement;
using nlohmann::ordered_json;

template <class T>
ordered_json json_of(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json json_of(const stats::Interval& interval) {
  return ordered_json::array({interval.low, interval.high});
}

ordered_json json_of(const LayerAgreement& layer) {
  const compare::Distances& d = layer.distances;
  const compare::Moments& m = layer.moments;
  return {{"stage", trace::name(layer.stage)},
          {"position", layer.position},
          {"name", layer.name},
          {"target_name", layer.target_name},
          {"type", layer.type},
          {"shape", layer.shape},
          {"matched_by", name(layer.how)},
          {"transposed", layer.transposed},
          {"frames", layer.frames},
          {"exact", d.exact},
          {"rmse", json_of(d.rmse)},
          {"mae", json_of(d.mae)},
          {"max_abs", json_of(d.max_abs)},
          {"max_index", m.max_index},
          {"rmse_over_range", json_of(d.rmse_over_range)},
          {"snr_db", json_of(d.snr_db)},
          {"psnr_db", json_of(d.psnr_db)},
          {"cosine", json_of(d.cosine)},
          {"pearson", json_of(d.pearson)},
          {"nse_error", json_of(d.nse_error)},
          {"relative_l2", json_of(d.relative_l2)},
          {"gain", json_of(d.gain)},
          {"offset", json_of(d.offset)},
          {"elements", m.n},
          {"equal", m.equal},
          {"nan_reference", m.nan_r},
          {"nan_target", m.nan_t},
          {"inf_reference", m.inf_r},
          {"inf_target", m.inf_t},
          {"non_finite_mismatch", m.non_finite_mismatch},
          {"worst_channel", json_of(layer.worst_channel)},
          {"worst_channel_share", json_of(layer.worst_channel_share)},
          {"worst_frame", layer.worst_frame}};
}

ordered_json json_of(const TaskAgreement& c) {
  const bool labelled = c.reference.n > 0;
  return {
      {"output", c.output},
      {"probabilities", c.probabilities},
      {"n", c.agreement.n},
      {"top1_agreement", json_of(c.agreement.mean())},
      {"top1_agreement_ci95", json_of(c.agreement.ci95)},
      {"k", c.k},
      {"topk_agreement", static_cast<double>(c.same_top_k) / static_cast<double>(c.agreement.n)},
      {"labelled", c.reference.n},
      {"reference_accuracy", json_of(c.reference.mean())},
      {"reference_ci95", labelled ? json_of(c.reference.ci95) : ordered_json(nullptr)},
      {"target_accuracy", json_of(c.target.mean())},
      {"target_ci95", labelled ? json_of(c.target.ci95) : ordered_json(nullptr)},
      {"difference_ci95", labelled ? json_of(c.test.difference_ci95) : ordered_json(nullptr)},
      {"p_value", labelled ? ordered_json(c.test.p_value) : ordered_json(nullptr)},
      {"samples_to_decide", json_of(c.test.required_sample_size)}};
}

std::string answers_headline(const compare::AnswerAgreement& answers) {
  return std::string(answers.task->name) + " answers agree by " + percent(answers.mean) +
         (answers.differs() ? ", below " : ", at least ") + percent(1 - answers.floor);
}

std::string lost_evaluation(const task::Evaluation& evaluation, const task::AnswerTask& task) {
  return "the target loses " + std::string(task.title) + ", " +
         number(*evaluation.reference.value, 4) + " to " + number(*evaluation.target.value, 4) +
         " (p = " + number(evaluation.p_value, 2) + ")";
}

std::string lost_metric(const task::MetricResult& metric) {
  return "the target loses " + in_quotes(metric.name, 60) + ", " +
         number(*metric.reference.value, 4) + " to " + number(*metric.target.value, 4) +
         " (p = " + number(metric.p_value, 2) + ")";
}

std::string few_frames(const Agreement& agreement) {
  return "only " + std::to_string(agreement.frames.size()) + " of " +
         counted(std::min(agreement.frames_reference, agreement.frames_target), "frame") +
         (agreement.frames.size() == 1 ? " is" : " are") + " in both traces";
}

std::string equal_headline(const Agreement& agreement, const compare::Decision& decided) {
  const std::string frames = counted(agreement.frames.size(), "frame");
  const std::string but = "undecided: what both traces have is equal, but ";
  if (decided.frames_without_tensor > 0)
    return but + "a tensor is missing in " + std::to_string(decided.frames_without_tensor) +
           " of " + frames;
  if (decided.is_of_few_frames) return but + few_frames(agreement);
  const std::size_t count = agreement.layers.size();
  return std::string("exact: ") +
         (count == 1 ? "the only tensor is" : "all " + std::to_string(count) + " tensors are") +
         " equal in " + frames;
}

std::string answers_only_headline(const Agreement& agreement, const compare::Decision& decided) {
  const std::string answers = answers_headline(*agreement.answers);
  if (decided.outcome == compare::Outcome::kDiffers) return "differs: " + answers;
  return decided.is_of_few_frames ? "undecided: " + answers + ", but " + few_frames(agreement)
                                  : "agrees: " + answers + "; no tensor was compared";
}

std::string distance_headline(const Agreement& agreement, const compare::Decision& decided) {
  if (!decided.distance) return "differs: no distance can be given";
  const bool is_far = decided.outcome == compare::Outcome::kDiffers;
  const bool is_open = decided.outcome == compare::Outcome::kUndecided;
  const std::string kind =
      decided.is_of_outputs
          ? "mean output distance (" + std::string(name(agreement.output_distance_kind)) + ")"
          : "largest relative L2 of a tensor";
  return (is_far    ? "differs: "
          : is_open ? "undecided: "
                    : "agrees: ") +
         kind + " " + number(*decided.distance, 3) + (is_far ? ", above" : ", below") +
         " the floor of " + number(decided.floor, 2) +
         (is_open ? ", but " + few_frames(agreement) : "");
}

std::string headline(const Agreement& agreement, const compare::Decision& decided) {
  switch (decided.reason) {
    case compare::Reason::kInterrupted: break;
    case compare::Reason::kNothingJoined:
      return "undecided: the traces have no frame in common (record the same samples, or use "
             "--by-frame-number)";
    case compare::Reason::kMetricLost: return "differs: " + lost_metric(*agreement.metric);
    case compare::Reason::kEvaluationLost:
      return "differs: " +
             lost_evaluation(*agreement.answers->evaluation, *agreement.answers->task);
    case compare::Reason::kAnswers: return answers_only_headline(agreement, decided);
    case compare::Reason::kNothingPaired:
      return "undecided: no tensor could be paired (record both with the same --level)";
    case compare::Reason::kSwapped: {
      const compare::SwappedOutputs& swapped = agreement.swapped[decided.swapped];
      return "differs: the outputs " + in_quotes(swapped.first, 60) + " and " +
             in_quotes(swapped.second, 60) + " stand in each other's place in the target";
    }
    case compare::Reason::kEqual: return equal_headline(agreement, decided);
    case compare::Reason::kShapes:
      return "differs: " +
             compare::shapes_text(*compare::unlike_output(agreement), agreement.frames.size());
    case compare::Reason::kNotFinite: return "differs: NaN or infinite values on one side only";
    case compare::Reason::kAccuracyLost:
      return "differs: the target loses accuracy (p = " + number(agreement.task->test.p_value, 2) +
             ")";
    case compare::Reason::kFarValues:
      return "undecided: " + compare::far_values(agreement, decided.floor) + " (" +
             number(*decided.distance, 3) + ", floor " + number(decided.floor, 2) + ")";
    case compare::Reason::kDistance: return distance_headline(agreement, decided);
  }
  return "undecided: interrupted after " + counted(agreement.frames.size(), "frame");
}

Outcome exit_of(compare::Outcome outcome) {
  switch (outcome) {
    case compare::Outcome::kAgrees: return Outcome::kDone;
    case compare::Outcome::kDiffers: return Outcome::kDiffers;
    case compare::Outcome::kUndecided: break;
  }
  return Outcome::kUndecided;
}

}  // namespace

Decision decide(const Agreement& agreement, const CompareArgs& args) {
  const compare::Decision decided = compare::decision_of(agreement, args.floor);
  return {exit_of(decided.outcome), headline(agreement, decided), decided.floor};
}

namespace {

const char* word(Outcome outcome) {
  return outcome == Outcome::kDone      ? "agrees"
         : outcome == Outcome::kDiffers ? "differs"
                                        : "undecided";
}

std::vector<report::Fact> facts_of(const Agreement& agreement, const Decision& decision) {
  const auto joined = static_cast<double>(agreement.frames.size());
  std::vector<report::Fact> facts{
      {"frames_compared", "frames compared", number(joined, 9), joined}};
  if (agreement.output_distance) {
    facts.push_back(
        {"output_distance", "distance of the outputs",
         number(*agreement.output_distance, 4) + " (" + name(agreement.output_distance_kind) + ")",
         agreement.output_distance});
    facts.push_back(
        {"output_floor", "floor of that distance", number(decision.floor, 4), decision.floor});
  }
  if (agreement.metric) {
    const task::MetricResult& metric = *agreement.metric;
    for (const auto& [key, who, score] :
         {std::tuple{"metric_target", " of the target", &metric.target},
          std::tuple{"metric_reference", " of the reference", &metric.reference}})
      if (score->value)
        facts.push_back(
            {key, sanitized(metric.name, 60) + who, number(*score->value, 4), score->value});
  }
  if (!agreement.task) return facts;
  const auto add = [&](const char* key, const char* title, const std::optional<double>& share) {
    if (share) facts.push_back({key, title, percent(*share), share});
  };
  add("agreement", "answers equal to the reference's", agreement.task->agreement.mean());
  if (agreement.task->reference.n == 0) return facts;
  add("accuracy_target", "accuracy on the target", agreement.task->target.mean());
  add("accuracy_reference", "accuracy of the reference", agreement.task->reference.mean());
  return facts;
}

}  // namespace

report::Rulings rulings_of(const Agreement& agreement, const Decision& decision,
                           const CompareArgs& args) {
  const std::string& trace = args.golden.empty() ? args.target : args.reference;
  const std::string& right = args.golden.empty() ? args.reference : args.golden;
  const auto file_name = [](const std::string& path) {
    return std::filesystem::path(path).filename().string();
  };
  report::Rulings rulings;
  rulings.verb = "compare";
  rulings.name = file_name(right);
  rulings.subject = file_name(trace);
  rulings.outcome = word(decision.outcome);
  rulings.headline = decision.headline;
  rulings.facts = facts_of(agreement, decision);
  rulings.warnings = agreement.problems;
  report::Ruling line;
  line.id = line.heading = line.rule = "verdict";
  line.title = "the target's trace agrees with the reference's";
  line.ruled = decision.outcome == Outcome::kDone      ? report::Ruled::kPasses
               : decision.outcome == Outcome::kDiffers ? report::Ruled::kFails
                                                       : report::Ruled::kUndecided;
  line.message = decision.headline;
  line.place = {placed(trace), 1};
  rulings.lines.push_back(std::move(line));
  return rulings;
}

std::optional<diagnose::FirstLayer> first_layer(const Agreement& agreement,
                                                const CompareArgs& args) {
  return diagnose::first_recorded_layer(
      agreement, args.first_above > 0 ? std::optional(args.first_above) : std::nullopt);
}

std::string json_text(const Agreement& agreement, const Decision& decision, const CompareArgs& args,
                      const std::optional<compare::GoldenReport>& golden) {
  ordered_json out{
      {"schema_version", 1},
      {"outcome", word(decision.outcome)},
      {"headline", decision.headline},
      {"exact", agreement.exact},
      {"interrupted", agreement.interrupted},
      {"golden", golden ? ordered_json{{"layout", golden->layout},
                                       {"frames", golden->frames},
                                       {"outputs", golden->outputs},
                                       {"sha256", golden->sha256}}
                        : ordered_json(nullptr)},
      {"floor", decision.floor},
      {"frames",
       {{"reference", agreement.frames_reference},
        {"target", agreement.frames_target},
        {"joined", agreement.frames.size()},
        {"joined_by", name(agreement.joined_by)}}},
      {"raw_inputs", {{"compared", agreement.raw_compared}, {"equal", agreement.raw_equal}}},
      {"coverage",
       {{"share", agreement.coverage},
        {"reference", agreement.tensors_reference},
        {"target", agreement.tensors_target},
        {"matched", agreement.tensors_matched},
        {"unmatched_reference", agreement.unmatched_reference},
        {"unmatched_target", agreement.unmatched_target},
        {"groups", ordered_json::array()}}},
      {"output_distance",
       {{"mean", json_of(agreement.output_distance)},
        {"kind", name(agreement.output_distance_kind)},
        {"ci95", agreement.output_distance_ci95 ? json_of(*agreement.output_distance_ci95)
                                                : ordered_json(nullptr)}}},
      {"layer_filter",
       {{"patterns", args.layers},
        {"matched", agreement.layers_chosen},
        {"paired", agreement.layers_paired}}},
      {"first_stage",
       first_stage(agreement) ? ordered_json(first_stage(agreement)->name) : ordered_json(nullptr)},
      {"first_layer", report::first_layer_json(first_layer(agreement, args))},
      {"crossed_outputs", ordered_json::array()},
      {"classes", agreement.task ? json_of(*agreement.task) : ordered_json(nullptr)},
      {"answers", report::answers_json(agreement.answers)},
      {"metric", report::metric_json(agreement.metric)},
      {"layers", ordered_json::array()},
      {"problems", agreement.problems}};
  for (const auto& [reference, target] : agreement.groups)
    out["coverage"]["groups"].push_back({{"reference", reference}, {"target", target}});
  for (const compare::SwappedOutputs& c : agreement.swapped)
    out["crossed_outputs"].push_back({{"reference", {c.first, c.second}},
                                      {"target", {c.first_target, c.second_target}},
                                      {"mistake", c.mistake}});
  for (const LayerAgreement& layer : agreement.layers) out["layers"].push_back(json_of(layer));
  // Names are bytes: invalid UTF-8 becomes the replacement character instead of an error.
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace edgeprobe::cli
