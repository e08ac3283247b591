// SPDX-License-Identifier: Apache-2.0
#include "report/words/fix.h"

#include "core/text.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

using diagnose::FixFile;
using diagnose::Standing;

constexpr std::size_t kMostNames = 12, kMostTried = 8;

std::string percent(double value) { return share(value); }

std::string standing_text(const Standing& standing) {
  std::string text;
  if (standing.score) {
    text =
        (standing.of_labels ? "accuracy " : "the reference's class in ") + percent(*standing.score);
    if (!standing.of_labels) text += " of the frames";
    if (standing.ci95)
      text += " (" + metric_interval("top1_accuracy", standing.ci95) +
              ", n = " + std::to_string(standing.n) + ")";
  }
  if (standing.output_distance)
    text += (text.empty() ? "" : ", ") + std::string("output distance ") +
            digits(standing.output_distance);
  return text.empty() ? "not comparable" : text;
}

/// "" if nothing was held out.
std::string held_out_text(const diagnose::WrittenFix& fix) {
  if (!fix.held_out) return "";
  const diagnose::HeldOut& held = *fix.held_out;
  return "held out: on " + std::to_string(held.samples) +
         " samples that neither calibrated nor chose layers " +
         (held.before ? standing_text(*held.before) + " before, " : std::string()) +
         standing_text(held.after) + " with the fix";
}

bool is_of_input(const diagnose::Cause& cause) {
  return cause.stage == diagnose::CauseStage::kPreprocessing;
}

/// Kinds of the causes that a file fixes.
std::string causes_text(const diagnose::Verdict& verdict, bool of_input) {
  std::string text;
  for (const diagnose::Cause& cause : verdict.causes) {
    if (is_of_input(cause) != of_input || cause.status == diagnose::CauseStatus::kNote) continue;
    const std::string title = cause.kind == diagnose::CauseKind::kUnknown ? "a cause without a name"
                                                                          : kind_title(cause.kind);
    if (text.find(title) == std::string::npos) text += (text.empty() ? "" : ", ") + title;
  }
  return text.empty() ? "the difference" : text;
}

}  // namespace

std::string tried_text(const diagnose::TriedFix& tried) {
  std::string text = tried.requantized ? "quantised again" : "only the reference's recipe";
  if (tried.requantized && tried.recipe) text += " and with the reference's recipe";
  if (!tried.kept_float.empty())
    text += ", " + std::to_string(tried.kept_float.size()) +
            (tried.kept_float.size() == 1 ? " layer" : " layers") + " in float32";
  return text + ": " + standing_text(tried.standing) + ", " +
         diagnose::name(tried.standing.outcome);
}

std::string fix_file_text(const diagnose::WrittenFile& file, const diagnose::Verdict& verdict) {
  const std::string model = causes_text(verdict, false);
  switch (file.kind) {
    case FixFile::kRecipe:
      return "the pre-processing that the app has to do (for: " + causes_text(verdict, true) + ")";
    case FixFile::kCalibration:
      return "the samples to calibrate with; together they cover the range of every layer (for: " +
             model + ")";
    case FixFile::kKeepFloat:
      return "the layers that stay in float32, for the quantiser (for: " + model + ")";
    case FixFile::kModel:
      return "the reference, quantised again with these files (for: " + model + ")";
    case FixFile::kSummary: return "this page in JSON, with everything that was tried";
    case FixFile::kReadme: break;
  }
  return "this page";
}

std::vector<std::string> fix_rows(const diagnose::Verdict& verdict) {
  std::vector<std::string> rows;
  if (!verdict.written_fix) return rows;
  const diagnose::WrittenFix& fix = *verdict.written_fix;
  const auto restored = [&] {
    return fix.restored ? "; " + percent(*fix.restored) + " of what was lost is restored"
                        : std::string();
  };
  if (fix.after) {
    rows.push_back("before: " + standing_text(fix.before));
    rows.push_back("with the fix: " + standing_text(*fix.after) + restored());
    if (const std::string held = held_out_text(fix); !held.empty()) rows.push_back(held);
  } else if (!fix.files.empty()) {
    rows.push_back("the result was not checked");
  }
  for (const diagnose::WrittenFile& file : fix.files)
    if (file.kind != FixFile::kReadme && file.kind != FixFile::kSummary)
      rows.push_back(sanitized(fix.folder + "/" + file.path, 300) + ": " +
                     fix_file_text(file, verdict));
  if (!fix.kept_float.empty()) {
    std::string names;
    for (std::size_t i = 0; i < std::min(kMostNames, fix.kept_float.size()); ++i)
      names += (i ? ", " : "") + sanitized(fix.kept_float[i], 60);
    if (fix.kept_float.size() > kMostNames)
      names += " and " + std::to_string(fix.kept_float.size() - kMostNames) + " more";
    rows.push_back("in float32: " + names +
                   (fix.smallest ? "; none of them can be left out"
                                 : "; a smaller set may do, the search was ended"));
  }
  for (const std::string& why : fix.not_done) rows.push_back(sanitized(why, 600));
  if (!fix.after && !fix.tried.empty()) {
    rows.push_back("before: " + standing_text(fix.before));
    for (std::size_t i = 0; i < std::min(kMostTried, fix.tried.size()); ++i)
      rows.push_back("tried: " + tried_text(fix.tried[i]));
    if (fix.tried.size() > kMostTried)
      rows.push_back("and " + std::to_string(fix.tried.size() - kMostTried) + " more (--json)");
  }
  return rows;
}

std::string fix_readme(const diagnose::Verdict& verdict, const diagnose::WrittenFix& fix) {
  std::string text = "Files that fix the deployment, written by edgeprobe --write-fix.\n\n" +
                     headline(verdict) + "\n\n";
  text += "Before:       " + standing_text(fix.before) + "\n";
  text += "With the fix: " + (fix.after ? standing_text(*fix.after) : std::string("not checked")) +
          "\n";
  if (fix.restored) text += "Restored:     " + percent(*fix.restored) + " of what was lost\n";
  if (const std::string held = held_out_text(fix); !held.empty()) text += held + "\n";
  else if (fix.calibration_samples > 0)
    text +=
        "The samples of this check are also those that calibrate: check once more with others.\n";
  for (const diagnose::WrittenFile& file : fix.files) {
    text += "\n" + file.path + "\n    " + fix_file_text(file, verdict) + "\n";
    if (!file.command.empty()) text += "    " + file.command + "\n";
  }
  if (!fix.not_done.empty()) text += "\nNot done:\n";
  for (const std::string& why : fix.not_done) text += "    " + sanitized(why, 600) + "\n";
  if (!fix.tried.empty()) text += "\nTried:\n";
  for (const diagnose::TriedFix& tried : fix.tried) text += "    " + tried_text(tried) + "\n";
  return text;
}

}  // namespace edgeprobe::report
