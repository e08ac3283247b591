// SPDX-License-Identifier: Apache-2.0
#include "diagnose/examination/decide.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

// With this many frames, a fault that harms one frame in twenty shows up with a probability of 95
// %: 1 - 0.95^59.
constexpr std::uint64_t kTelling = 59;
constexpr double kRate = 0.05, kProbability = 0.95;
// Largest distance of inputs without a search that still count as alike; two decoders of one
// picture differ by as much.
constexpr double kAlikeSteps = 2.2;

bool confirmed(const Cause& cause) { return cause.status == CauseStatus::kConfirmed; }

// True for causes that can explain the model's outputs; causes after the model cannot.
bool explains_outputs(const Cause& cause) {
  return confirmed(cause) && cause.kind != CauseKind::kPostprocessing;
}

// True for causes that explain the app's answers, even if the outputs are equal.
bool explains_answers(const Cause& cause) {
  return confirmed(cause) && cause.kind == CauseKind::kPostprocessing;
}

bool has(const Verdict& verdict, CauseStatus status) {
  return std::any_of(verdict.causes.begin(), verdict.causes.end(),
                     [&](const Cause& c) { return c.status == status; });
}

// True if the reference's accuracy is no better than guessing.
bool near_chance(const TaskResult& task) {
  if (!task.reference || !task.reference_ci95 || task.classes < 2) return false;
  const double chance = 1 / static_cast<double>(task.classes);
  return task.reference_ci95->low <= chance && task.reference_ci95->high < (1 + chance) / 2;
}

Headline difference_headline(const Verdict& verdict, const Effect& effect,
                             const InputEvidence& input) {
  if (has(verdict, CauseStatus::kConfirmed)) {
    Headline causes{HeadlineKind::kCauses};
    if (effect.gap && effect.rest && effect.moved && *effect.gap > 0)
      causes.values.emplace("difference_gone", std::max(0.0, 1 - *effect.rest / *effect.gap));
    return causes;
  }
  if (has(verdict, CauseStatus::kNearly) && input.diagnosis)
    return {HeadlineKind::kNearly, {{"left", input.diagnosis->residual}}};
  return {has(verdict, CauseStatus::kPartial) ? HeadlineKind::kUnknownCause
                                              : HeadlineKind::kUnexplained};
}

// Effect of the causes, and the difference they do not explain.
struct Weighed {
  std::optional<double> caused;  // Effect of the causes on the outputs.
  double limit = 0;              // Effects up to this are negligible.
  double open = -1;              // Unexplained distance; negative: not measured.
  // The input is visibly wrong for a known reason, but the outputs hardly change on these frames.
  bool harmless = false;
  bool named = false;   // A cause is confirmed.
  bool broken = false;  // Outputs without a distance: NaN or infinite.
  bool gap_left = false, rounding_adds_up = false;
};

// Causes about rounding or kernels cost nothing if the outputs are within their floor and every
// answer is the reference's; with two classes, logits may differ much even then. Other constants
// and options are facts about the file.
bool is_cost_only(const Cause& cause) {
  return confirmed(cause) && cause.stage == CauseStage::kModel &&
         (cause.kind == CauseKind::kQuantization || cause.kind == CauseKind::kKernel);
}

void note_costless(Verdict& verdict, const Effect& effect) {
  if (!effect.gap || *effect.gap > effect.floor || effect.accuracy_lost || effect.broken > 0 ||
      verdict.task.top1_agreement.value_or(0) < 1)
    return;
  for (Cause& cause : verdict.causes)
    if (is_cost_only(cause)) {
      cause.status = CauseStatus::kNote;
      cause.evidence.push_back(
          {EvidenceKind::kEffectUnderFloor, {{"effect", *effect.gap}, {"limit", effect.floor}}});
    }
}

// Turns causes without effect into notes and adds "unknown" for the unexplained rest.
Weighed weigh(Verdict& verdict, const Effect& effect, const InputEvidence& input) {
  Weighed w;
  note_costless(verdict, effect);
  // The causes' effect on the outputs: measured on the target's own model if it was replayed, else
  // on the reference's.
  const std::optional<double> measured = effect.moved_input ? effect.moved_input : effect.faulty;
  w.caused = measured ? measured : effect.gap;
  w.limit = measured ? kNoticeable : effect.floor;
  const bool mends_values = effect.broken > 0 && !effect.still_broken.value_or(true);
  if (w.caused && *w.caused <= w.limit && !effect.accuracy_lost && !mends_values)
    for (Cause& cause : verdict.causes)
      // Causes inside the model were judged on the logits. Never a mere note: other weights, whose
      // answers on other pictures are unknown; exchanged outputs, which have no distance if their
      // shapes differ; and a model input without a picture.
      if (confirmed(cause) && cause.stage != CauseStage::kModel &&
          cause.stage != CauseStage::kOutputs && !is_without_picture(cause.kind)) {
        cause.status = CauseStatus::kNote;
        w.harmless = true;
        cause.evidence.push_back(
            {EvidenceKind::kEffectUnderFloor, {{"effect", *w.caused}, {"limit", w.limit}}});
      }
  w.named = std::any_of(verdict.causes.begin(), verdict.causes.end(), explains_outputs);
  if (!w.named || effect.moved) w.open = effect.rest.value_or(-1);
  // The inputs are equal up to decoder rounding: only the distance on the same input needs a cause.
  // Inputs are also equal if codes cut off values on both sides, but that excuses nothing.
  const bool equal_input =
      input.diagnosis && input.diagnosis->status == InputDiagnosis::Status::kEqual && !input.scale;
  const double on_same_input = effect.same_input.value_or(w.open);
  if (!w.named && equal_input && on_same_input < w.open) {
    if (w.open > effect.floor && on_same_input <= effect.floor)
      verdict.warnings.push_back(
          "the model inputs differ by " + number(input.diagnosis->residual_before, 2) +
          " gray steps (RMS), as between two JPEG decoders or roundings; "
          "that by itself moves the outputs by " +
          number(w.open, 2) + ". On the same input they differ by " + number(on_same_input, 2));
    w.open = on_same_input;
  }
  // Non-finite outputs have no distance. Without a replay, it is unknown whether the cause explains
  // them.
  w.broken = w.named ? effect.still_broken.value_or(false) : effect.broken > 0;
  const bool unlike_outputs = !w.named && !effect.unlike_outputs.empty();
  w.gap_left = w.open > effect.floor || w.broken || unlike_outputs;
  if (w.gap_left && !w.broken && !w.named && equal_input && effect.only_rounding) {
    verdict.warnings.push_back("on the same input and model file the outputs differ by " +
                               number(w.open, 2) + " (floor " + number(effect.floor, 2) +
                               "), although every layer gives what the host's kernels give for its "
                               "own inputs, up to rounding: that adds up here");
    w.gap_left = false;
    w.rounding_adds_up = true;
  }
  const bool answers_unexplained =
      effect.answers_agree_by &&
      std::none_of(verdict.causes.begin(), verdict.causes.end(), explains_answers);
  const bool loss_unexplained = (effect.accuracy_lost || answers_unexplained) && !w.named;
  if ((w.gap_left || loss_unexplained) &&
      std::none_of(verdict.causes.begin(), verdict.causes.end(), [](const Cause& c) {
        return (c.status == CauseStatus::kPartial && c.kind != CauseKind::kPostprocessing) ||
               c.status == CauseStatus::kNearly || c.kind == CauseKind::kOtherModel;
      })) {
    Cause cause;
    cause.kind = CauseKind::kUnknown;
    cause.status = CauseStatus::kPartial;
    if (w.named || equal_input) cause.stage = CauseStage::kModel;
    cause.detail = w.named      ? "after the fixes the outputs still differ"
                   : w.gap_left ? "the outputs differ"
                   : answers_unexplained
                       ? "what the apps answer agrees by " + percent(*effect.answers_agree_by) +
                             ", although the outputs differ little: check the post-processing"
                       : "the accuracy is significantly lower, although the outputs differ little";
    if (w.broken && !w.named)
      cause.detail = std::to_string(effect.broken) +
                     " values of the target's outputs are NaN or infinite, the reference's are not";
    else if (unlike_outputs) cause.detail = effect.unlike_outputs;
    else if (w.open >= 0 && (w.gap_left || !answers_unexplained))
      cause.detail += by_distance(w.open, verdict.output_distance_kind, effect.floor);
    if (!w.named && cause.stage == CauseStage::kModel)
      cause.detail += "; the model input is the same";
    verdict.causes.push_back(std::move(cause));
  }
  std::stable_sort(verdict.causes.begin(), verdict.causes.end(),
                   [](const Cause& a, const Cause& b) {
                     return static_cast<int>(a.status == CauseStatus::kNote) <
                            static_cast<int>(b.status == CauseStatus::kNote);
                   });
  return w;
}

// Reason why the app's answers were not judged although the reference's recipe produces answers;
// empty if they were judged or compared, or the recipe produces none.
std::string unjudged_answers(const Verdict& verdict, Gate gate) {
  if (gate != Gate::kOutputs || !verdict.answers || verdict.answers->recipe.empty() ||
      verdict.answers->status != AnswerStatus::kNotJudged ||
      (verdict.answer_agreement && verdict.answer_agreement->compared > 0))
    return "";
  return "the outputs agree, but the reference's recipe after || could not judge the answers that "
         "the app recorded" +
         (verdict.answers->skipped.empty() ? "" : ": " + verdict.answers->skipped);
}

// Sets outcome, headline and hints.
void conclude(Verdict& verdict, const Weighed& w, const Effect& effect, const InputEvidence& input,
              Gate gate) {
  const bool answers_compared = verdict.answer_agreement && verdict.answer_agreement->compared > 0;
  const bool nothing_compared = !effect.gap && !verdict.task.target && !w.named && !w.broken &&
                                !effect.answers_differ && !answers_compared &&
                                effect.unlike_outputs.empty();
  const bool no_labels = gate == Gate::kAccuracy && !verdict.task.p_value;
  const bool differs = gate == Gate::kAccuracy
                           ? effect.accuracy_lost
                           : w.named || w.gap_left || effect.accuracy_lost ||
                                 effect.answers_differ || effect.answers_agree_by.has_value();
  // An unknown cause inside the model is reported only if a notable difference is left.
  if (!w.gap_left && !effect.accuracy_lost && !effect.answers_agree_by)
    std::erase_if(verdict.causes, [](const Cause& c) {
      return c.stage == CauseStage::kModel && c.kind == CauseKind::kUnknown;
    });
  const auto undecided = [&](Headline headline) {
    verdict.outcome = Outcome::kUndecided;
    verdict.headline = std::move(headline);
  };
  const auto missing = [&](HintKind kind, std::map<std::string, Value> values = {}) {
    verdict.would_decide.push_back({kind, std::move(values)});
  };
  if (nothing_compared || no_labels) {
    undecided({HeadlineKind::kNotEnough});
    if (nothing_compared && !effect.unlike.empty()) {
      missing(HintKind::kGiveReferenceOfThisModel, effect.unlike);
      verdict.headline = {HeadlineKind::kAnotherModel, effect.unlike};
    } else if (nothing_compared && !effect.uncompared.empty()) {
      missing(HintKind::kMakeComparable, {{"why", effect.uncompared}});
    } else if (nothing_compared) {
      missing(HintKind::kRecordOutputs);
    }
    if (no_labels && verdict.task.of_plugin)
      missing(HintKind::kMakeComparable,
              {{"why", "the metric '" + sanitized(verdict.task.metric, 60) +
                           "' is not defined over these frames"}});
    else if (no_labels) missing(HintKind::kGiveLabelsForGate);
  } else if (differs) {
    verdict.outcome = Outcome::kDiffers;
    verdict.headline = difference_headline(verdict, effect, input);
    if (!w.named && input.undecided) verdict.would_decide.push_back(*input.undecided);
  } else if (w.rounding_adds_up && !verdict.task.p_value) {
    undecided({HeadlineKind::kRoundingAddsUp, {{"distance", w.open}, {"floor", effect.floor}}});
    missing(HintKind::kGiveLabelsForRounding);
  } else if ((w.harmless && gate == Gate::kOutputs) ||
             ((w.harmless || w.named) && verdict.task.n < kTelling)) {
    const std::size_t frames = gate == Gate::kOutputs ? effect.replayed : verdict.task.n;
    undecided({HeadlineKind::kHarmless});
    if (w.caused)
      verdict.headline.values = {{"frames", frames}, {"effect", *w.caused}, {"limit", w.limit}};
    if (frames < kTelling)
      missing(HintKind::kGiveMoreFrames,
              {{"frames", kTelling}, {"rate", kRate}, {"probability", kProbability}});
    else missing(HintKind::kMendOrJudgeByAccuracy);
  } else if (input.diagnosis && input.diagnosis->status == InputDiagnosis::Status::kPartial) {
    // The input differs without a named cause, and nothing shows harm on these frames.
    undecided({HeadlineKind::kUnnamedInput});
    if (has(verdict, CauseStatus::kNearly))
      verdict.headline.values.emplace("left", input.diagnosis->residual);
    missing(HintKind::kGiveFramesOrLabels);
  } else if (effect.input_steps > kAlikeSteps && gate == Gate::kOutputs) {
    undecided({HeadlineKind::kInputsApart, {{"share_of_range", effect.input_steps / 255}}});
    if (effect.integers) verdict.headline.values = values_of(*effect.integers);
    missing(HintKind::kGiveFramesOrLabelsAndGate);
    if (input.undecided) verdict.would_decide.push_back(*input.undecided);
  } else if (effect.answers_changed > 0 && gate == Gate::kOutputs && !verdict.task.p_value) {
    undecided({HeadlineKind::kAnswersChanged,
               {{"changed", effect.answers_changed}, {"compared", effect.answers_compared}}});
    if (effect.gap) {
      verdict.headline.values.emplace("distance", *effect.gap);
      verdict.headline.values.emplace("floor", effect.floor);
    }
    missing(HintKind::kGiveLabelsForAnswers);
  } else if (const std::string why = unjudged_answers(verdict, gate); !why.empty()) {
    undecided({HeadlineKind::kNotEnough});
    missing(HintKind::kMakeComparable, {{"why", why}});
  } else {
    verdict.outcome = Outcome::kAgrees;
    verdict.headline.kind = w.harmless || w.named ? HeadlineKind::kAccuracyAgrees
                            : w.rounding_adds_up  ? HeadlineKind::kAgreesByRounding
                                                  : HeadlineKind::kAgrees;
    if (effect.gap) verdict.headline.values = {{"distance", *effect.gap}, {"floor", effect.floor}};
  }
}

}  // namespace

std::string by_distance(double distance, const std::string& kind, double floor) {
  return " by " + number(distance, 2) + " (" + kind + ", floor " + number(floor, 2) + ")";
}

void decide(Verdict& verdict, const Effect& effect, const InputEvidence& input, Gate gate) {
  verdict.output_distance = effect.gap;
  verdict.output_floor = effect.floor;
  const Weighed w = weigh(verdict, effect, input);
  conclude(verdict, w, effect, input, gate);
  const bool by_guess =
      input.diagnosis && input.diagnosis->status == InputDiagnosis::Status::kPartial;
  if (input.against_guess && !w.named && !w.broken &&
      (verdict.outcome == Outcome::kDiffers || by_guess)) {
    verdict.outcome = Outcome::kUndecided;
    verdict.headline = {HeadlineKind::kRecipeGuessed};
    if (!input.app_recipe.empty()) verdict.headline.values.emplace("app_recipe", input.app_recipe);
    verdict.would_decide = {{HintKind::kGiveTrainingRecipe}};
  }
  if (near_chance(verdict.task)) {
    const std::string suspect = "the reference itself is right on " +
                                percent(*verdict.task.reference) + ", near chance for " +
                                std::to_string(verdict.task.classes) +
                                " classes: check labels and recipe";
    verdict.headline.values.emplace("suspect", suspect);
    verdict.warnings.insert(verdict.warnings.begin(), suspect);
  }
}

}  // namespace edgeprobe::diagnose
