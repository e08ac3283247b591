// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/why/answer_forms.h"

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "report/words/evidence.h"
#include "report/words/wording.h"

namespace edgeprobe::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kLabel = 13;

std::string row(const std::string& label, const std::string& text) {
  std::string out = label;
  out.resize(std::max(kLabel, out.size() + 1), ' ');
  return out + sanitized(text, report::kLongestSentence) + "\n";
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = char(text[0] - 'a' + 'A');
  return text;
}

std::string lines_after(const std::string& label, const std::string& code) {
  std::string out, first = label;
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = std::min(code.find('\n', at), code.size());
    out += row(first, code.substr(at, end - at));
    first.clear();
    at = end + 1;
  }
  return out;
}

std::string fixes_of(const diagnose::Cause& cause) {
  if (cause.fix_step.empty()) return "";
  std::string out = row("Fix", "recipe step  " + cause.fix_step);
  for (const std::string& api : report::api_order(cause))
    out += lines_after("  " + report::api_title(api), cause.fix_code.at(api));
  return out;
}

ordered_json cause_json(const diagnose::Cause& cause) {
  ordered_json evidence = ordered_json::array();
  for (const diagnose::Evidence& one : cause.evidence)
    evidence.push_back(sanitized(report::evidence_text(one), report::kLongestSentence));
  ordered_json code = ordered_json::object();
  for (const auto& [api, text] : cause.fix_code) code[api] = text;
  return {{"kind", diagnose::name(cause.kind)},
          {"detail", sanitized(cause.detail, report::kLongestSentence)},
          {"alternatives", cause.alternatives},
          {"evidence", std::move(evidence)},
          {"fix_step", cause.fix_step},
          {"fix_code", std::move(code)}};
}

}  // namespace

std::string text_of(const why::Answer& answer) {
  std::string out = capital(sanitized(answer.headline, report::kLongestSentence)) + "\n\n";
  const std::string outcome = diagnose::name(answer.outcome);
  out += row("Answer",
             outcome + " (exit code " + std::to_string(report::exit_code(answer.outcome)) + ")");
  for (const why::Fact& fact : answer.facts) out += row(fact.what, fact.text);
  if (!answer.app_recipe.empty()) out += row("App's", answer.app_recipe);
  if (!answer.reference_recipe.empty()) out += row("Reference's", answer.reference_recipe);
  for (const diagnose::Cause& cause : answer.causes) {
    out += "\n" + row("Cause", report::kind_title(cause.kind) + ": " + cause.detail);
    for (const std::string& other : cause.alternatives) out += row("  or", other);
    for (const diagnose::Evidence& one : cause.evidence)
      out += row("  seen", report::evidence_text(one));
    out += fixes_of(cause);
  }
  if (!answer.would_decide.empty()) out += "\n";
  for (const std::string& text : answer.would_decide) out += row("Decides", text);
  return out;
}

std::string json_of(const why::Answer& answer) {
  ordered_json facts = ordered_json::array(), causes = ordered_json::array();
  for (const why::Fact& fact : answer.facts)
    facts.push_back(
        {{"what", fact.what}, {"text", sanitized(fact.text, report::kLongestSentence)}});
  for (const diagnose::Cause& cause : answer.causes) causes.push_back(cause_json(cause));
  ordered_json distance, left;
  if (const auto& d = answer.distance)
    distance = {{"values", d->values},
                {"equal", d->equal},
                {"largest", d->largest},
                {"rms", d->rms},
                {"app_not_finite", d->app_not_finite},
                {"reference_not_finite", d->reference_not_finite}};
  if (const auto& l = answer.left) {
    left = {{"explained", l->explained}, {"unit", l->unit}};
    left["within_one_unit"] = l->within < 0 ? ordered_json(nullptr) : ordered_json(l->within);
    left["largest"] = l->within < 0 ? ordered_json(nullptr) : ordered_json(l->largest);
  }
  return ordered_json{{"version", 1},
                      {"outcome", diagnose::name(answer.outcome)},
                      {"headline", sanitized(answer.headline, report::kLongestSentence)},
                      {"causes", std::move(causes)},
                      {"facts", std::move(facts)},
                      {"would_decide", answer.would_decide},
                      {"app_recipe", answer.app_recipe},
                      {"reference_recipe", answer.reference_recipe},
                      {"distance", std::move(distance)},
                      {"left", std::move(left)}}
      .dump(2);
}

}  // namespace edgeprobe::cli
