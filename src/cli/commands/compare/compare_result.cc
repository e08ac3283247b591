// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/compare/compare_result.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/counted.h"
#include "core/text.h"
#include "diagnose/detectors/first_layer.h"
#include "report/json/answers.h"
#include "report/json/verdict.h"
#include "stats/significance.h"

namespace edgeprobe::cli {
namespace {

using compare::Agreement;
using compare::LayerAgreement;
using compare::TaskAgreement;
using nlohmann::ordered_json;

bool integers(const Agreement& agreement) {
  return std::any_of(
      agreement.layers.begin(), agreement.layers.end(), [](const LayerAgreement& layer) {
        return layer.stage != trace::Stage::kIntermediate &&
               (size_of(layer.reference_dtype) == 1 || size_of(layer.target_dtype) == 1);
      });
}

// Not-finite values on one side only are a difference at any floor.
bool broken_values(const Agreement& agreement) {
  return std::any_of(agreement.layers.begin(), agreement.layers.end(),
                     [](const LayerAgreement& layer) {
                       return layer.moments.non_finite_mismatch + layer.moments.overflow > 0;
                     });
}

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

// Frames that stand for neither trace show a difference, and no agreement.
std::optional<std::string> too_few(const Agreement& agreement) {
  const std::uint64_t fewer = std::min(agreement.frames_reference, agreement.frames_target);
  if (2 * agreement.frames.size() >= fewer) return std::nullopt;
  return "only " + std::to_string(agreement.frames.size()) + " of " + counted(fewer, "frame") +
         (agreement.frames.size() == 1 ? " is" : " are") + " in both traces";
}

}  // namespace

namespace {

std::string answers_headline(const compare::AnswerAgreement& answers) {
  return std::string(answers.task->name) + " answers agree by " + percent(answers.mean) +
         (answers.differs() ? ", below " : ", at least ") + percent(1 - answers.floor);
}

// What recorded answers say, which goes before tensors: outputs may be equal where the app makes
// another answer of them.
std::optional<Decision> decide_by_answers(const Agreement& agreement, Decision decision) {
  const auto& answers = agreement.answers;
  if (!answers) return std::nullopt;
  if (answers->evaluation && answers->evaluation->is_loss()) {
    decision.outcome = Outcome::kDiffers;
    decision.headline = "differs: the target loses " + std::string(answers->task->title) + ", " +
                        number(*answers->evaluation->reference.value, 4) + " to " +
                        number(*answers->evaluation->target.value, 4) +
                        " (p = " + number(answers->evaluation->p_value, 2) + ")";
    return decision;
  }
  if (answers->differs()) {
    decision.outcome = Outcome::kDiffers;
    decision.headline = "differs: " + answers_headline(*answers);
    return decision;
  }
  return std::nullopt;
}

}  // namespace

Decision decide(const Agreement& agreement, const CompareArgs& args) {
  Decision decision;
  decision.floor =
      args.floor.value_or(compare::output_floor(integers(agreement), agreement.frames.size()));
  decision.distance = agreement.output_distance;
  decision.distance_kind =
      "mean output distance (" + std::string(name(agreement.output_distance_kind)) + ")";
  if (!decision.distance) {
    for (const LayerAgreement& layer : agreement.layers)
      if (layer.distances.relative_l2 && layer.distances.relative_l2 > decision.distance)
        decision.distance = layer.distances.relative_l2;
    decision.distance_kind = "largest relative L2 of a tensor";
  }
  const std::string frames = counted(agreement.frames.size(), "frame");
  if (agreement.interrupted) {
    decision.headline = "undecided: interrupted after " + frames;
    return decision;
  }
  if (agreement.joined_by == compare::JoinedBy::kNothing) {
    decision.headline =
        "undecided: the traces have no frame in common (record the same samples, or use "
        "--by-frame-number)";
    return decision;
  }
  if (auto answers = decide_by_answers(agreement, decision)) return *std::move(answers);
  if (agreement.layers.empty() && agreement.answers && agreement.answers->compared > 0) {
    const auto few = too_few(agreement);
    decision.outcome = few ? Outcome::kUndecided : Outcome::kDone;
    decision.headline = (few ? "undecided: " : "agrees: ") + answers_headline(*agreement.answers) +
                        (few ? ", but " + *few : "; no tensor was compared");
    return decision;
  }
  if (agreement.layers.empty()) {
    decision.headline = "undecided: no tensor could be paired (record both with the same --level)";
    return decision;
  }
  for (const compare::SwappedOutputs& swapped : agreement.swapped)
    if (swapped.mistake) {
      decision.outcome = Outcome::kDiffers;
      decision.headline = "differs: the outputs '" + sanitized(swapped.first, 60) + "' and '" +
                          sanitized(swapped.second, 60) +
                          "' stand in each other's place in the target";
      return decision;
    }
  if (agreement.exact) {
    decision.outcome = Outcome::kDone;
    const std::size_t count = agreement.layers.size();
    // A tensor that some frames lack was compared in the others alone.
    std::size_t fewest = agreement.frames.size();
    for (const LayerAgreement& layer : agreement.layers)
      fewest = std::min<std::size_t>(fewest, layer.frames);
    if (fewest < agreement.frames.size()) {
      decision.outcome = Outcome::kUndecided;
      decision.headline = "undecided: what both traces have is equal, but a tensor is missing in " +
                          std::to_string(agreement.frames.size() - fewest) + " of " + frames;
      return decision;
    }
    if (const auto few = too_few(agreement)) {
      decision.outcome = Outcome::kUndecided;
      decision.headline = "undecided: what both traces have is equal, but " + *few;
      return decision;
    }
    decision.headline =
        std::string("exact: ") +
        (count == 1 ? "the only tensor is" : "all " + std::to_string(count) + " tensors are") +
        " equal in " + frames;
    return decision;
  }
  const auto& task = agreement.task;
  if (broken_values(agreement)) {
    decision.outcome = Outcome::kDiffers;
    decision.headline = "differs: NaN or infinite values on one side only";
  } else if (task && stats::is_loss(task->test.p_value, task->target.sum, task->reference.sum)) {
    decision.outcome = Outcome::kDiffers;
    decision.headline =
        "differs: the target loses accuracy (p = " + number(task->test.p_value, 2) + ")";
  } else if (!decision.distance || *decision.distance > decision.floor) {
    decision.outcome = Outcome::kDiffers;
    decision.headline = decision.distance ? "differs: " + decision.distance_kind + " " +
                                                number(*decision.distance, 3) +
                                                ", above the floor of " + number(decision.floor, 2)
                                          : "differs: no distance can be given";
  } else if (const auto few = too_few(agreement)) {
    decision.headline = "undecided: " + decision.distance_kind + " " +
                        number(*decision.distance, 3) + ", below the floor of " +
                        number(decision.floor, 2) + ", but " + *few;
  } else {
    decision.outcome = Outcome::kDone;
    decision.headline = "agrees: " + decision.distance_kind + " " + number(*decision.distance, 3) +
                        ", below the floor of " + number(decision.floor, 2);
  }
  return decision;
}

const LayerAgreement* first_stage(const Agreement& agreement) {
  const auto of_input = [](const LayerAgreement& l) {
    return l.stage == trace::Stage::kIntermediate || l.stage == trace::Stage::kModelInput;
  };
  const auto named = [](const LayerAgreement& l) { return l.stage == trace::Stage::kIntermediate; };
  if (std::none_of(agreement.layers.begin(), agreement.layers.end(), named)) return nullptr;
  for (const LayerAgreement& layer : agreement.layers) {
    if (!of_input(layer)) continue;
    const auto& d = layer.distances;
    const bool rounding = d.exact || (d.rmse_over_range && *d.rmse_over_range * 255 < 1);
    if (!rounding || (named(layer) && layer.frames < agreement.frames.size())) return &layer;
  }
  return nullptr;
}

std::optional<diagnose::FirstLayer> first_layer(const Agreement& agreement,
                                                const CompareArgs& args) {
  return diagnose::first_recorded_layer(
      agreement, args.first_above > 0 ? std::optional(args.first_above) : std::nullopt);
}

std::string json_text(const Agreement& agreement, const Decision& decision, const CompareArgs& args,
                      const std::optional<compare::GoldenReport>& golden) {
  const char* outcome = decision.outcome == Outcome::kDone      ? "agrees"
                        : decision.outcome == Outcome::kDiffers ? "differs"
                                                                : "undecided";
  ordered_json out{
      {"schema_version", 1},
      {"outcome", outcome},
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
      {"layers", ordered_json::array()},
      {"problems", agreement.problems}};
  for (const auto& [reference, target] : agreement.groups)
    out["coverage"]["groups"].push_back({{"reference", reference}, {"target", target}});
  for (const compare::SwappedOutputs& c : agreement.swapped)
    out["crossed_outputs"].push_back({{"reference", {c.first, c.second}},
                                      {"target", {c.first_target, c.second_target}},
                                      {"mistake", c.mistake}});
  for (const LayerAgreement& layer : agreement.layers) out["layers"].push_back(json_of(layer));
  // Names are bytes: what is no UTF-8 becomes the replacement character instead of a failure.
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace edgeprobe::cli
