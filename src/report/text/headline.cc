// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/text.h"
#include "report/words/hints.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

using diagnose::Cause;
using diagnose::CauseStatus;
using diagnose::Verdict;

bool is_confirmed(const Cause& cause) { return cause.status == CauseStatus::kConfirmed; }

// "the app feeds BGR; the reference feeds RGB" -> its first half.
std::string short_detail(const std::string& detail) { return detail.substr(0, detail.find("; ")); }

// "the app feeds BGR; the reference feeds RGB and the app flips the picture" for the causes that
// `which` selects; "" for none.
template <class Which>
std::string joined_details(const Verdict& verdict, Which which) {
  std::string text;
  for (const Cause& cause : verdict.causes)
    if (which(cause)) text += text.empty() ? cause.detail : " and " + short_detail(cause.detail);
  return text;
}

std::string causes(const Verdict& verdict, const Values& values) {
  const auto named = std::count_if(verdict.causes.begin(), verdict.causes.end(), is_confirmed);
  const std::string text = joined_details(verdict, is_confirmed);
  const std::string fixed = named > 1 ? "with these fixed" : "with that fixed";
  const diagnose::TaskResult& task = verdict.task;
  // Only post-processing differs, and its fix does not change the model's outputs.
  if (std::all_of(verdict.causes.begin(), verdict.causes.end(), [](const Cause& c) {
        return !is_confirmed(c) || c.kind == diagnose::CauseKind::kPostprocessing;
      }))
    return text;
  if (task.of_plugin && task.fixed && task.target &&
      (task.lower_is_better ? *task.fixed < *task.target : *task.fixed > *task.target))
    return text + "; " + fixed + ", " + metric_title(task.metric) + " is " +
           number(*task.fixed, 3) + " again, not " + number(*task.target, 3);
  if (!task.of_plugin && task.fixed && task.target && *task.fixed > *task.target)
    return text + "; " + fixed + " your model is right on " + percent(*task.fixed) +
           " again, not " + percent(*task.target);
  if ((task.of_answers || task.of_plugin) && task.target && task.reference)
    return text + "; " + metric_title(task.metric) + " " + number(*task.target, 3) +
           " on the target, " + number(*task.reference, 3) + " of the reference";
  if (task.target && task.reference && !task.fixed)
    return text + "; the target is right on " + percent(*task.target) + ", the reference on " +
           percent(*task.reference);
  if (values.has("difference_gone"))
    return text + "; " + fixed + ", " + percent(values.real("difference_gone"), 0) +
           " of the difference of the outputs is gone";
  return text;
}

std::string nearly(const Verdict& verdict, const Values& values) {
  const auto is_nearly = [](const Cause& c) { return c.status == CauseStatus::kNearly; };
  return "nearly: " + joined_details(verdict, is_nearly) + " (reproduced except for " +
         number(values.real("left"), 2) + " gray steps)";
}

std::string unknown_cause(const Verdict& verdict) {
  const auto cause =
      std::find_if(verdict.causes.begin(), verdict.causes.end(),
                   [](const Cause& one) { return one.status == CauseStatus::kPartial; });
  if (cause == verdict.causes.end()) return "cause unknown";
  // The detail describes the app's post-processing; it may be a guess, and is not the cause.
  if (cause->kind == diagnose::CauseKind::kPostprocessing)
    return cause->detail + "; the cause is unknown";
  const bool guess = cause->kind != diagnose::CauseKind::kUnknown &&
                     (cause->detail.compare(0, 8, "the app ") == 0 ||
                      cause->stage == diagnose::CauseStage::kModel);
  return std::string("cause unknown") + (guess ? ", nearest: " : ": ") + cause->detail;
}

bool is_of_input(const Cause& cause) {
  return (cause.stage == diagnose::CauseStage::kPreprocessing ||
          cause.stage == diagnose::CauseStage::kState) &&
         (cause.status == CauseStatus::kNote || is_confirmed(cause));
}

std::string harmless(const Verdict& verdict, const Values& values) {
  const std::string text = "undecided: " + joined_details(verdict, is_of_input);
  if (!values.has("effect")) return text;
  const std::int64_t frames = values.whole("frames");
  return text + "; on " +
         (frames == 1 ? "this frame" : "these " + std::to_string(frames) + " frames") +
         " that moves the outputs by " + number(values.real("effect"), 2) + " (limit " +
         number(values.real("limit"), 2) + ")";
}

/// Distance of the inputs; for integers without a scale, how many differ, and the first one.
std::string distance_of_inputs(const Values& values) {
  if (!values.has("values"))
    return "the model inputs differ by " + percent(values.real("share_of_range")) +
           " of their range (RMS)";
  return std::to_string(values.whole("values")) + " of " + std::to_string(values.whole("of")) +
         " whole numbers of the model inputs differ, first at frame " +
         std::to_string(values.whole("frame")) + ": value " +
         std::to_string(values.whole("place")) + " of '" + sanitized(values.text("input"), 80) +
         "' is " + values.text("target") + ", the reference's " + values.text("reference");
}

std::string inputs_apart(const Verdict& verdict, const Values& values) {
  std::string known = joined_details(verdict, is_of_input);
  if (known.empty())
    known = joined_details(verdict, [](const Cause& c) {
      return c.stage == diagnose::CauseStage::kPreprocessing && c.status == CauseStatus::kPartial;
    });
  return "undecided: " + (known.empty() ? distance_of_inputs(values) : known) +
         ", but the outputs stay within the floor";
}

std::string interval_text(const std::optional<diagnose::Interval>& ci) {
  if (!ci) return "";
  return " (95 % interval " + number(ci->low * 100, 3) + "–" + number(ci->high * 100, 3) + " %)";
}

std::string agreement(const Verdict& verdict, const Values& values) {
  const diagnose::TaskResult& task = verdict.task;
  if ((task.of_answers || task.of_plugin) && task.target && task.reference)
    return ": " + metric_title(task.metric) + " " + number(*task.target, 3) + ", the reference's " +
           number(*task.reference, 3);
  if (task.target && task.reference)
    return ": right on " + percent(*task.target) + interval_text(task.target_ci95) +
           ", the reference on " + percent(*task.reference);
  if (!values.has("distance")) return "";
  return ": outputs differ by " + number(values.real("distance"), 2) + " (floor " +
         number(values.real("floor"), 2) + ")";
}

/// States that recorded answers were not compared: they are part of the target's behaviour.
std::string not_compared(const Verdict& verdict) {
  const bool recorded = verdict.answers && verdict.answers->frames > 0;
  const bool compared = verdict.answer_agreement && verdict.answer_agreement->compared > 0;
  return recorded && !compared && verdict.answers->status == diagnose::AnswerStatus::kNotJudged
             ? "; what the app made of the outputs was not compared"
             : "";
}

/// States which part of the check is done, and only what holds for that part.
std::string cut_short(const Values& values) {
  const bool by_user = !values.has("error");
  const std::int64_t frames = values.whole("frames");
  return std::string("partial: ") + (by_user ? "interrupted " : "ended by an error ") +
         (values.text("during") == "diagnosis" ? "in the search for causes, after " : "after ") +
         std::to_string(frames) + " of " + std::to_string(values.whole("of")) + " frames; on " +
         (frames == 1 ? "that one" : "those " + std::to_string(frames)) +
         (values.has("distance") ? " the outputs differ by " + number(values.real("distance"), 2) +
                                       " (floor " + number(values.real("floor"), 2) + ")"
                                 : std::string(" the outputs have no distance")) +
         ", no cause is confirmed" + (by_user ? "" : "; the error: " + values.text("error"));
}

std::string said(const Verdict& verdict, const Values& values) {
  switch (verdict.headline.kind) {
    using enum diagnose::HeadlineKind;
    case kNone: return "";
    case kAnotherModel: return "undecided: " + sizes_text(values);
    case kNotEnough:
      return "undecided: " +
             (verdict.would_decide.empty() ? "" : hint_text(verdict.would_decide.front()));
    case kCauses: return causes(verdict, values);
    case kNearly: return nearly(verdict, values);
    case kUnknownCause: return unknown_cause(verdict);
    case kUnexplained: return "the target differs from the reference, cause unknown";
    case kRoundingAddsUp:
      return "undecided: every layer is right up to rounding, but that adds up on the outputs "
             "to " +
             number(values.real("distance"), 2) + " (floor " + number(values.real("floor"), 2) +
             ")";
    case kAnswersChanged:
      return "undecided: " + std::to_string(values.whole("changed")) + " of " +
             std::to_string(values.whole("compared")) +
             " answers are not the reference's, although the outputs differ little" +
             (values.has("distance") ? agreement(verdict, values) : std::string());
    case kCutShort: return cut_short(values);
    case kHarmless: return harmless(verdict, values);
    case kUnnamedInput:
      return "undecided: " +
             (values.has("left") ? nearly(verdict, values) + "; the"
                                 : std::string("the model input differs, but the")) +
             " outputs stay within the floor";
    case kInputsApart: return inputs_apart(verdict, values);
    case kAgrees:
      return "the target does what the reference does" + agreement(verdict, values) +
             not_compared(verdict);
    case kAgreesByRounding:
      return "the target does what the reference does, layer by layer and up to rounding, which "
             "adds up here" +
             agreement(verdict, values) + not_compared(verdict);
    case kAccuracyAgrees:
      return std::string(verdict.task.of_plugin ? "the metric" : "the accuracy") +
             " is the reference's, although the input is not" + agreement(verdict, values) +
             not_compared(verdict);
    case kRecipeGuessed:
      return "undecided: what was the model trained with? give --reference-recipe; " +
             (values.has("app_recipe")
                  ? "the app does: " + values.text("app_recipe")
                  : "its default was taken, and the target does something else");
  }
  return "";
}

}  // namespace

std::string headline_text(const Verdict& verdict) {
  const Values values(verdict.headline);
  const std::string text = verdict.before_headline + said(verdict, values);
  return values.has("suspect") ? text + "; " + values.text("suspect") : text;
}

}  // namespace edgeprobe::report
