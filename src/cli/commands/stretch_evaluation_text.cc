// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/stretch_evaluation_text.h"

#include <nlohmann/json.hpp>

#include "cli/tables/columns.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

using nlohmann::ordered_json;
using placement::AccuracyVerdict;
using placement::Comparison;

std::string range_text(const stats::Interval& interval) {
  return percent(interval.low) + " .. " + percent(interval.high);
}

/// Samples that the accuracy leaves out; "" for none.
std::string left_out(const placement::Answers& answers) {
  std::vector<std::string> parts;
  if (answers.unlabelled > 0)
    parts.push_back(counted(answers.unlabelled, "sample") + " without a label");
  if (!answers.unreadable.empty())
    parts.push_back(counted(answers.unreadable.size(), "unreadable sample") + " (" +
                    sanitized(answers.unreadable.front().name, 100) + ": " +
                    sanitized(answers.unreadable.front().why, 200) + ")");
  if (answers.beyond > 0)
    parts.push_back(counted(answers.beyond, "label") + " beyond the " +
                    std::to_string(answers.classes) + " classes");
  return edgeprobe::joined(parts);
}

std::string points(double share) {
  const std::string text = number(share * 100, 3);
  return share > 0 ? "+" + text : text;
}

double difference_of(const Comparison& pair) {
  if (pair.frames == 0) return 0;
  return (static_cast<double>(pair.top_1.target_better) -
          static_cast<double>(pair.top_1.reference_better)) /
         static_cast<double>(pair.frames);
}

std::string verdict_text(const Comparison& pair, std::size_t comparisons) {
  if (pair.verdict == AccuracyVerdict::kStopped)
    return "stopped: these are the first frames, so no verdict";
  std::string text = placement::name(pair.verdict);
  text += " (McNemar p " + number(pair.top_1.p_value, 2);
  if (comparisons > 1)
    text += ", " + number(pair.p_adjusted, 2) + " adjusted for " + std::to_string(comparisons) +
            " comparisons";
  text += "; " + points(difference_of(pair)) + " points, 95 % " +
          points(pair.top_1.difference_ci95.low) + " .. " +
          points(pair.top_1.difference_ci95.high) + ")";
  if (pair.verdict == AccuracyVerdict::kNoDifference && pair.top_1.required_sample_size)
    text += "; about " + std::to_string(*pair.top_1.required_sample_size) +
            " frames would show one of this size";
  return text;
}

void write_pair(std::ostream& out, const Evaluation& base, const Evaluation& model,
                const Comparison& pair, std::size_t comparisons) {
  out << sanitized(model.cfg, 200) << " against " << sanitized(base.cfg, 200) << ": "
      << verdict_text(pair, comparisons) << "\n  of " << counted(pair.frames, "frame")
      << ", only the base is right on " << pair.top_1.reference_better << ", only this model on "
      << pair.top_1.target_better;
  if (pair.same && pair.same->n > 0)
    out << "; same class on " << percent(*pair.same->mean()) << " (95 % "
        << range_text(pair.same->ci95) << ")";
  const std::vector<std::string> others = differences(base, model);
  out << "\n  "
      << (others.empty() ? "model, plan, resolution and recipe are the same"
                         : "not the same: " + edgeprobe::joined(others))
      << "\n";
}

ordered_json figure_json(const task::Figure& figure) {
  return {{"value", figure.n ? ordered_json(*figure.mean()) : ordered_json(nullptr)},
          {"correct", static_cast<std::uint64_t>(figure.sum + 0.5)},
          {"n", figure.n},
          {"low", figure.ci95.low},
          {"high", figure.ci95.high}};
}

ordered_json pair_json(const Evaluation& base, const Evaluation& model, const Comparison& pair) {
  const auto& needed = pair.top_1.required_sample_size;
  return {{"base", base.cfg},
          {"n", pair.frames},
          {"verdict", placement::name(pair.verdict)},
          {"p", pair.top_1.p_value},
          {"p_adjusted", pair.p_adjusted},
          {"only_base", pair.top_1.reference_better},
          {"only_model", pair.top_1.target_better},
          {"difference", difference_of(pair)},
          {"difference_low", pair.top_1.difference_ci95.low},
          {"difference_high", pair.top_1.difference_ci95.high},
          {"frames_to_show", needed ? ordered_json(*needed) : ordered_json(nullptr)},
          {"same_class", pair.same ? figure_json(*pair.same) : ordered_json(nullptr)},
          {"differs_in", differences(base, model)}};
}

ordered_json evaluation_json(const Evaluation& one) {
  const placement::Answers& answers = one.answers;
  const auto top5 = placement::top_5(answers);
  ordered_json json{
      {"model", one.cfg},
      {"model_sha256", one.model_sha256},
      {"plan_sha256",
       one.plan_sha256.empty() ? ordered_json(nullptr) : ordered_json(one.plan_sha256)},
      {"weights", one.weights.empty() ? ordered_json(nullptr) : ordered_json(one.weights)},
      {"top1", figure_json(placement::top_1(answers))},
      {"top5", top5 ? figure_json(*top5) : ordered_json(nullptr)},
      {"classes", answers.classes},
      {"stopped", answers.is_stopped},
      {"unlabelled", answers.unlabelled},
      {"labels_beyond", answers.beyond},
      {"without_answer", answers.without_answer},
      {"unreadable", ordered_json::array()},
      {"resolution", one.resolution.empty() ? ordered_json(nullptr) : ordered_json(one.resolution)},
      {"input",
       {{"name", one.input.name}, {"dtype", name(one.input.dtype)}, {"shape", one.input.shape}}},
      {"weight_types", one.weight_types},
      {"precision", one.precision},
      {"recipe", one.recipe},
      {"pieces", pieces_of(one)},
      {"processors", ordered_json::array()},
      {"engine_version", one.engine_version}};
  for (const dataset::Unreadable& sample : answers.unreadable)
    json["unreadable"].push_back({{"sample", sample.name}, {"why", sample.why}});
  for (const RanOn& ran : one.processors)
    json["processors"].push_back({{"name", ran.name},
                                  {"engine", ran.engine},
                                  {"threads", ran.threads},
                                  {"cpus", ran.cpus},
                                  {"delegates", ran.delegates},
                                  {"emulated_slowdown", ran.emulated_slowdown},
                                  {"pieces", ran.pieces}});
  return json;
}

}  // namespace

void write_evaluations(std::ostream& out, const EvaluationTable& table) {
  Columns columns("<>>>>>>><<");
  columns.add(
      {"model", "n", "top-1", "95 %", "top-5", "95 %", "input", "pieces", "weights", "processors"});
  for (const Evaluation& one : table.evaluations) {
    const task::Figure top1 = placement::top_1(one.answers);
    const auto top5 = placement::top_5(one.answers);
    columns.add({sanitized(one.cfg, 200), std::to_string(top1.n),
                 top1.n ? percent(*top1.mean()) : "-", range_text(top1.ci95),
                 top5 && top5->n ? percent(*top5->mean()) : "-",
                 top5 && top5->n ? range_text(top5->ci95) : "-",
                 one.resolution.empty() ? to_text(one.input.shape) : one.resolution,
                 std::to_string(pieces_of(one)), edgeprobe::joined(one.weight_types),
                 processors_text(one)});
  }
  columns.write(out);
  for (const Evaluation& one : table.evaluations) {
    const std::string cfg = sanitized(one.cfg, 200);
    if (const std::string text = left_out(one.answers); !text.empty())
      out << cfg << ": left out: " << text << "\n";
    if (one.answers.without_answer > 0)
      out << cfg << ": " << counted(one.answers.without_answer, "frame")
          << " without a score that is a number, counted as wrong\n";
    if (one.answers.is_stopped)
      out << cfg << ": stopped; the figures are of the first "
          << counted(placement::top_1(one.answers).n, "frame") << "\n";
  }
  for (std::size_t i = 0; i < table.comparisons.size(); ++i)
    write_pair(out, table.evaluations.front(), table.evaluations[i + 1], table.comparisons[i],
               table.comparisons.size());
}

std::string to_json(const EvaluationTable& table) {
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < table.evaluations.size(); ++i) {
    ordered_json one = evaluation_json(table.evaluations[i]);
    one["against_base"] =
        table.has_base && i > 0 && i <= table.comparisons.size()
            ? pair_json(table.evaluations.front(), table.evaluations[i], table.comparisons[i - 1])
            : ordered_json(nullptr);
    list.push_back(std::move(one));
  }
  return ordered_json{
             {"schema_version", 1}, {"has_base", table.has_base}, {"evaluations", std::move(list)}}
             .dump(2, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace edgeprobe::cli
