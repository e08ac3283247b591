// SPDX-License-Identifier: Apache-2.0
#include "report/json/verdict.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/words/fix.h"

namespace edgeprobe::report {
namespace {

using Json = nlohmann::ordered_json;

Json value(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? Json(*number) : Json(nullptr);
}

Json standing(const diagnose::Standing& one) {
  return {{"verdict", diagnose::name(one.outcome)},
          {"score", value(one.score)},
          {"metric", !one.score      ? Json(nullptr)
                     : one.of_labels ? Json("top1_accuracy")
                                     : Json("top1_agreement")},
          {"ci95", one.ci95 ? Json::array({one.ci95->low, one.ci95->high}) : Json(nullptr)},
          {"n", one.n},
          {"reference", value(one.reference_score)},
          {"output_distance", value(one.output_distance)}};
}

Json held_out(const std::optional<diagnose::HeldOut>& one) {
  if (!one) return nullptr;
  return {{"samples", one->samples},
          {"before", one->before ? standing(*one->before) : Json(nullptr)},
          {"after", standing(one->after)}};
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

Json written_fix_json(const diagnose::Verdict& verdict,
                      const std::optional<diagnose::WrittenFix>& fix) {
  if (!fix) return nullptr;
  Json files = Json::array(), tried = Json::array();
  for (const diagnose::WrittenFile& file : fix->files)
    files.push_back({{"file", file.path},
                     {"kind", diagnose::name(file.kind)},
                     {"what", fix_file_text(file, verdict)},
                     {"command", text_or_null(file.command)}});
  for (const diagnose::TriedFix& one : fix->tried)
    tried.push_back({{"recipe", one.recipe},
                     {"requantized", one.requantized},
                     {"layers_in_float", one.kept_float},
                     {"result", standing(one.standing)}});
  return {{"folder", fix->folder},
          {"files", std::move(files)},
          {"before", standing(fix->before)},
          {"after", fix->after ? standing(*fix->after) : Json(nullptr)},
          {"held_out", held_out(fix->held_out)},
          {"restored", value(fix->restored)},
          {"calibration_samples", fix->calibration_samples},
          {"kept_float", fix->kept_float},
          {"kept_float_smallest", fix->smallest},
          {"tool", text_or_null(fix->tool)},
          {"tried", std::move(tried)},
          {"not_done", fix->not_done},
          {"stopped", fix->stopped}};
}

std::string fix_summary_json(const diagnose::Verdict& verdict, const diagnose::WrittenFix& fix) {
  Json summary = written_fix_json(verdict, fix);
  Json causes = Json::array();
  for (const diagnose::Cause& cause : verdict.causes)
    causes.push_back({{"kind", diagnose::name(cause.kind)},
                      {"status", diagnose::name(cause.status)},
                      {"detail", cause.detail}});
  summary["causes"] = std::move(causes);
  return summary.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace edgeprobe::report
