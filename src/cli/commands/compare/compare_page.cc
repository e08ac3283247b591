// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "cli/commands/compare/compare_result.h"
#include "core/text.h"
#include "diagnose/comparison.h"
#include "report/page/page.h"

namespace edgeprobe::cli {
namespace {

diagnose::Outcome outcome_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDone: return diagnose::Outcome::kAgrees;
    case Outcome::kDiffers: return diagnose::Outcome::kDiffers;
    default: return diagnose::Outcome::kUndecided;
  }
}

void add_side(const std::string& side, const std::string& file, const trace::Reader& reader,
              diagnose::Verdict& verdict) {
  verdict.provenance[side + ".trace"] = std::filesystem::path(file).filename().string();
  for (const char* key :
       {"model", "model_sha256", "recipe", "engine", "compiler", "compiler_version"})
    if (const auto said = reader.declared(key); said && !said->empty())
      verdict.provenance[side + "." + key] = *said;
}

}  // namespace

Result<std::string> page_text(const diagnose::Case& known, const compare::Agreement& agreement,
                              const Decision& decision, const CompareArgs& args) {
  EP_TRY(auto verdict, diagnose::comparison(known, agreement, decision.floor));
  verdict.outcome = outcome_of(decision.outcome);
  // The page has the outcome as a badge.
  const std::string outcome = std::string(diagnose::name(verdict.outcome)) + ": ";
  verdict.before_headline = decision.headline.starts_with(outcome)
                                ? decision.headline.substr(outcome.size())
                                : decision.headline;
  verdict.first_layer = first_layer(agreement, args);
  const bool golden = !args.golden.empty();
  add_side("reference", golden ? args.golden : args.reference, *known.reference, verdict);
  add_side("target", golden ? args.reference : args.target, *known.target, verdict);
  verdict.provenance["tool"] = std::string("edgeprobe ") + EDGEPROBE_VERSION;
  return report::render_html(
      verdict, {args.images == "none" ? report::Images::kNone : report::Images::kFull});
}

}  // namespace edgeprobe::cli
