// SPDX-License-Identifier: Apache-2.0
#include "report/json/verdict.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/words/evidence.h"
#include "report/words/hints.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

using Json = nlohmann::ordered_json;

Json value(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }
Json value(const std::optional<double>& number) { return number ? value(*number) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
template <class Enum>
Json name_or_null(const std::optional<Enum>& value) {
  return value ? Json(diagnose::name(*value)) : Json(nullptr);
}

Json value(const diagnose::Value& held) {
  if (const auto* number = std::get_if<double>(&held.held())) return value(*number);
  if (const auto* numbers = std::get_if<std::vector<double>>(&held.held())) {
    Json list = Json::array();
    for (const double number : *numbers) list.push_back(value(number));
    return list;
  }
  if (const auto* text = std::get_if<std::string>(&held.held())) return *text;
  return std::get<std::int64_t>(held.held());
}

template <class Kind>
Json statement(const diagnose::Statement<Kind>& said) {
  Json values = Json::object();
  for (const auto& [key, held] : said.values) values[key] = value(held);
  return {{"kind", name(said.kind)}, {"values", std::move(values)}};
}

template <class Kind>
Json statements(const std::vector<diagnose::Statement<Kind>>& all) {
  Json list = Json::array();
  for (const auto& said : all) list.push_back(statement(said));
  return list;
}

Json interval(const std::optional<diagnose::Interval>& ci) {
  if (!ci || !std::isfinite(ci->low) || !std::isfinite(ci->high)) return nullptr;
  return Json::array({ci->low, ci->high});
}

Json task(const diagnose::TaskResult& result) {
  return {{"metric", result.metric},
          {"reference", value(result.reference)},
          {"target", value(result.target)},
          {"fixed", value(result.fixed)},
          {"ci95",
           {{"reference", interval(result.reference_ci95)},
            {"target", interval(result.target_ci95)},
            {"fixed", interval(result.fixed_ci95)}}},
          {"n", result.n},
          {"p_value", value(result.p_value)},
          {"test", result.p_value ? Json(result.test) : Json(nullptr)},
          {"of_answers", result.of_answers},
          {"of_plugin", result.of_plugin},
          {"lower_is_better", result.lower_is_better},
          {"top1_agreement", value(result.top1_agreement)}};
}

Json fix(const diagnose::Cause& cause) {
  Json code = {{"opencv", nullptr}, {"android", nullptr}, {"numpy", nullptr}};
  for (const auto& [api, line] : cause.fix_code) code[api] = line;
  return {{"step", text_or_null(cause.fix_step)}, {"code", std::move(code)}};
}

Json cause(const diagnose::Cause& cause) {
  return {{"kind", diagnose::name(cause.kind)},
          {"status", diagnose::name(cause.status)},
          {"stage", name_or_null(cause.stage)},
          {"detail", cause.detail},
          {"layer", text_or_null(cause.layer)},
          {"op_type", text_or_null(cause.op_type)},
          {"scope", name_or_null(cause.scope)},
          {"layers", cause.layers},
          {"explains", value(cause.explained_variance)},
          {"explained_together", cause.together},
          {"contribution", value(cause.contribution)},
          {"restored", value(cause.restored)},
          {"restored_unit", name_or_null(cause.restored_unit)},
          {"restored_unavailable", text_or_null(unavailable_text(cause.restored_unavailable))},
          {"restored_unavailable_values",
           cause.restored_unavailable ? statement(*cause.restored_unavailable) : Json(nullptr)},
          {"evidence", evidence_texts(cause.evidence)},
          {"evidence_values", statements(cause.evidence)},
          {"alternatives", cause.alternatives},
          {"fix", fix(cause)}};
}

Json span(const compare::Moments& moments, double low, double high) {
  if (moments.n == 0 || !std::isfinite(low) || !std::isfinite(high)) return nullptr;
  return Json::array({low, high});
}

Json kinds(const compare::KindCounts& counts) {
  return {{"values", counts.values},       {"nan", counts.nan},
          {"infinite", counts.infinite},   {"denormal", counts.denormal},
          {"saturated", counts.saturated}, {"beyond_float16", counts.beyond_float16}};
}

Json kinds(const diagnose::LayerDrift& layer) {
  if (layer.reference_kinds.ordinary() && layer.target_kinds.ordinary()) return nullptr;
  return {{"reference", kinds(layer.reference_kinds)}, {"target", kinds(layer.target_kinds)}};
}

Json layer(const diagnose::LayerDrift& layer) {
  const compare::Distances& d = layer.distances;
  const compare::Moments& m = layer.moments;
  return {
      {"index", layer.index},
      {"name", layer.name},
      {"type", layer.type},
      {"target_name", text_or_null(layer.target_name)},
      {"frames", layer.frames},
      {"values", m.n},
      {"exact", d.exact},
      {"rmse_over_range", value(d.rmse_over_range)},
      {"snr_db", value(d.snr_db)},
      {"cosine", value(d.cosine)},
      {"rmse", value(d.rmse)},
      {"mae", value(d.mae)},
      {"max_abs", value(d.max_abs)},
      {"max_index", m.n > 0 && d.max_abs ? Json(m.max_index) : Json(nullptr)},
      {"psnr_db", value(d.psnr_db)},
      {"pearson", value(d.pearson)},
      {"nse_error", value(d.nse_error)},
      {"relative_l2", value(d.relative_l2)},
      {"gain", value(d.gain)},
      {"offset", value(d.offset)},
      {"range", {{"reference", span(m, m.min_r, m.max_r)}, {"target", span(m, m.min_t, m.max_t)}}},
      {"nan", {{"reference", m.nan_r}, {"target", m.nan_t}}},
      {"infinite", {{"reference", m.inf_r}, {"target", m.inf_t}}},
      {"non_finite_mismatch", m.non_finite_mismatch},
      {"value_counts", kinds(layer)},
      {"worst_channel", layer.worst_channel ? Json(*layer.worst_channel) : Json(nullptr)},
      {"jump", value(layer.error_gain)},
      {"residue", value(layer.kernel_error)},
      {"residue_unit", name_or_null(layer.kernel_error_unit)},
      {"residue_mean", value(layer.kernel_error_mean)},
      {"local_error", value(layer.local_error)},
      {"floor", value(layer.floor)},
      {"share", value(layer.share)},
      {"injection", value(layer.single_layer_error)},
      {"class", name_or_null(layer.layer_class)}};
}

Json unchecked(const std::vector<diagnose::UncheckedLayer>& layers) {
  Json list = Json::array();
  for (const diagnose::UncheckedLayer& layer : layers)
    list.push_back({{"layer", layer.layer},
                    {"name", layer.name},
                    {"type", layer.type},
                    {"reason", layer.reason}});
  return list;
}

Json layer_faults(const std::optional<diagnose::LayerFaultSummary>& summary) {
  if (!summary) return nullptr;
  Json not_measured = Json::array();
  for (const diagnose::Unmeasured& one : summary->not_measured)
    not_measured.push_back({{"layer", one.layer},
                            {"name", one.name},
                            {"type", one.type},
                            {"what", one.what},
                            {"reason", one.reason}});
  return {{"frames", summary->frames},
          {"gap", value(summary->logit_nrmse)},
          {"gap_of", summary->of_answers ? "outputs" : "logits"},
          {"checked", summary->checked},
          {"not_checked", unchecked(summary->not_checked)},
          {"not_captured", unchecked(summary->not_captured)},
          {"not_measured", std::move(not_measured)},
          {"paired", {{"layers", summary->paired}, {"of", summary->operators}}},
          {"skipped", text_or_null(summary->skipped)}};
}

Json scalars(const diagnose::ScalarStudy& study) {
  Json tests = Json::array();
  for (const diagnose::ScalarTest& test : study.tests)
    tests.push_back({{"name", test.name},
                     {"kind", diagnose::name(test.kind)},
                     {"unit", text_or_null(test.unit)},
                     {"failing", test.failing},
                     {"others", test.others},
                     {"failing_median", value(test.failing_median)},
                     {"other_median", value(test.other_median)},
                     {"effect", value(test.effect)},
                     {"p", value(test.p)},
                     {"p_corrected", value(test.p_corrected)},
                     {"tells", test.tells}});
  Json categories = Json::array();
  for (const diagnose::CategoryTest& test : study.categories)
    categories.push_back({{"name", test.name},
                          {"failing", test.failing},
                          {"others", test.others},
                          {"categories", test.categories},
                          {"value", test.value},
                          {"value_failing", test.value_failing},
                          {"value_frames", test.value_frames},
                          {"effect", value(test.effect)},
                          {"p", value(test.p)},
                          {"p_corrected", value(test.p_corrected)},
                          {"exact", test.exact},
                          {"tells", test.tells}});
  return {{"failing", text_or_null(study.failing)}, {"failing_frames", study.failing_frames},
          {"other_frames", study.other_frames},     {"sentence", study.sentence},
          {"skipped", text_or_null(study.skipped)}, {"tests", std::move(tests)},
          {"categories", std::move(categories)}};
}

Json cut_short(const std::optional<diagnose::CutShort>& cut) {
  if (!cut) return nullptr;
  return {{"by", cut->error.kind == ErrorKind::kInterrupted ? "user" : "error"},
          {"during", cut->during_diagnosis ? "diagnosis" : "recording"},
          {"frames_wanted", cut->frames_wanted},
          {"error", cut->error.what}};
}

Json coverage(const diagnose::Coverage& coverage) {
  return {{"frames", coverage.frames},
          {"frames_compared", coverage.frames_compared},
          {"frames_with_layers", coverage.frames_with_layers},
          {"layers_sampled", coverage.layers_sampled},
          {"layers_reference", coverage.layers_reference},
          {"layers_target", coverage.layers_target},
          {"layers_matched", coverage.layers_matched},
          {"unmatched", coverage.unmatched},
          {"cut_short", cut_short(coverage.cut_short)}};
}

template <class List, class Render>
Json array_of(const List& list, Render render) {
  Json array = Json::array();
  for (const auto& item : list) array.push_back(render(item));
  return array;
}

Json answers(const diagnose::AnswerStudy& study) {
  return {{"status", diagnose::name(study.status)},
          {"frames", study.frames},
          {"unlike", study.unlike},
          {"recipe", text_or_null(study.recipe)},
          {"judged", study.judged},
          {"not_judged", study.not_judged},
          {"skipped", text_or_null(study.skipped)}};
}

}  // namespace

nlohmann::ordered_json first_layer_json(const std::optional<diagnose::FirstLayer>& first) {
  if (!first) return nullptr;
  return {{"index", first->index},
          {"name", first->name},
          {"type", first->type},
          {"rule", name(first->difference.rule)},
          {"value", value(first->difference.value)},
          {"limit", value(first->difference.limit)},
          {"compared_before", first->before},
          {"equal_before", first->difference.equal_before},
          {"largest_before", value(first->difference.largest_before)}};
}

std::string render_json(const diagnose::Verdict& verdict, const JsonOptions& options) {
  Json provenance = Json::object();
  for (const auto& [key, text] : verdict.provenance) provenance[key] = text;

  const Json report = {{"schema_version", kSchemaVersion},
                       {"verdict", diagnose::name(verdict.outcome)},
                       {"headline", headline_text(verdict)},
                       {"headline_values", statement(verdict.headline)},
                       {"task", task(verdict.task)},
                       {"answer_agreement", answers_json(verdict.answer_agreement)},
                       {"outputs",
                        {{"distance", value(verdict.output_distance)},
                         {"floor", value(verdict.output_floor)},
                         {"kind", text_or_null(verdict.output_distance_kind)}}},
                       {"causes", array_of(verdict.causes, cause)},
                       {"would_decide", hint_texts(verdict.would_decide)},
                       {"would_decide_values", statements(verdict.would_decide)},
                       {"layers", array_of(verdict.layers, layer)},
                       {"first_layer", first_layer_json(verdict.first_layer)},
                       {"culprits", layer_faults(verdict.layer_faults)},
                       {"scalars", verdict.scalars ? scalars(*verdict.scalars) : Json(nullptr)},
                       {"answers", verdict.answers ? answers(*verdict.answers) : Json(nullptr)},
                       {"written_fix", written_fix_json(verdict, verdict.written_fix)},
                       {"samples", samples_json(verdict, options.images)},
                       {"coverage", coverage(verdict.coverage)},
                       {"provenance", std::move(provenance)},
                       {"warnings", verdict.warnings}};
  // Broken UTF-8 in a layer name must not throw; ASCII output keeps C1 and bidi controls off
  // terminals.
  return report.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace edgeprobe::report
