#include "diagnose/decide.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "task/statistics.h"

namespace edgeprobe::diagnose {
namespace {

// The effect of a cause on the target's own outputs below which it is a note (one model, one engine: nothing but
// the cause differs, so the float floor holds whatever the number format).
constexpr double kNoticeable = 0.02;

Interval interval(std::uint64_t right, std::uint64_t n) {
  const auto wilson = task::wilson(right, n);
  return {wilson.low, wilson.high};
}

std::string interval_text(const std::optional<Interval>& ci) {
  return ci ? " (95 % interval " + number(ci->low * 100, 3) + "–" + number(ci->high * 100, 3) + " %)" : "";
}

bool confirmed(const Cause& cause) { return cause.status == Status::kConfirmed; }

// "the app feeds BGR; the reference feeds RGB" -> its first half.
std::string short_detail(const std::string& detail) { return detail.substr(0, detail.find("; ")); }

std::string difference_headline(const Verdict& verdict, const Effect& effect) {
  std::string text;
  std::size_t named = 0;
  for (const Cause& cause : verdict.causes)
    if (confirmed(cause)) {
      text += (named ? " and " : "") + (named ? short_detail(cause.detail) : cause.detail);
      ++named;
    }
  const TaskResult& task = verdict.task;
  if (named && task.fixed && task.target && *task.fixed > *task.target) {
    text += "; " + std::string(named > 1 ? "with these fixed" : "with that fixed") + " your model is right on " +
            percent(*task.fixed) + " again, not " + percent(*task.target);
  } else if (named && task.target && task.reference && !task.fixed) {
    text += "; the target is right on " + percent(*task.target) + ", the reference on " + percent(*task.reference);
  } else if (named && effect.gap && effect.rest && effect.moved && *effect.gap > 0) {
    text += "; with " + std::string(named > 1 ? "these" : "that") + " fixed, " +
            percent(std::max(0.0, 1 - *effect.rest / *effect.gap), 0) + " of the difference of the outputs is gone";
  }
  if (named) return text;
  for (const Cause& cause : verdict.causes)
    if (cause.status == Status::kPartial) return "cause unknown: " + cause.detail;
  return "the target differs from the reference, cause unknown";
}

}  // namespace

std::optional<Gate> gate_from_name(std::string_view text) {
  if (text == "outputs") return Gate::kOutputs;
  if (text == "accuracy") return Gate::kAccuracy;
  return std::nullopt;
}

TaskResult task_result(const Study& study, const Replays& replays) {
  TaskResult task;
  const auto& classes = study.agreement.classes;
  if (!classes) return task;
  if (classes->n) task.top1_agreement = static_cast<double>(classes->same_top1) / static_cast<double>(classes->n);
  std::uint64_t n = 0, reference = 0, target = 0, only_reference = 0, only_target = 0;
  for (const compare::FrameAgreement& frame : study.agreement.frames) {
    const auto label = study.labels.find(frame.target);
    if (label == study.labels.end() || label->second < 0 || frame.reference_top1 < 0) continue;
    const bool reference_right = frame.reference_top1 == label->second, target_right = frame.target_top1 == label->second;
    ++n;
    reference += reference_right;
    target += target_right;
    only_reference += reference_right && !target_right;
    only_target += target_right && !reference_right;
  }
  if (n == 0) return task;
  const auto share = [](std::uint64_t right, std::uint64_t all) { return static_cast<double>(right) / static_cast<double>(all); };
  task.n = n;
  task.reference = share(reference, n);
  task.reference_ci95 = interval(reference, n);
  task.target = share(target, n);
  task.target_ci95 = interval(target, n);
  task.p_value = task::mcnemar_p(only_reference, only_target);
  if (const Accuracy fixed = accuracy(replays.fixed, study.labels, study.scores); fixed.n) {
    task.fixed = fixed.share();
    task.fixed_ci95 = interval(fixed.right, fixed.n);
  }
  return task;
}

bool accuracy_lost(const Study& study) {
  const TaskResult task = task_result(study, {});
  return task.p_value && *task.p_value < 0.05 && *task.target < *task.reference;
}

Effect effect_of(const Study& study, const Replays& replays, const TaskResult& task, bool quantized) {
  const compare::OutputDistance kind = study.agreement.output_distance_kind;
  Effect effect;
  effect.floor = compare::output_floor(quantized, study.agreement.frames.size());
  effect.gap = study.agreement.output_distance;
  effect.rest = effect.gap;
  for (const compare::LayerAgreement& layer : study.agreement.layers)
    if (layer.stage == trace::Stage::kModelOutput && layer.moments.nan_t + layer.moments.inf_t > 0) effect.broken += layer.moments.non_finite_mismatch;
  if (!replays.fixed.outputs.empty()) {
    effect.still_broken = broken_frames(replays.reference, replays.fixed) > 0;
    effect.rest = mean_distance(kind, replays.reference, replays.fixed);
    effect.moved = mean_distance(kind, replays.fixed, replays.target);
  }
  if (!replays.after.empty()) effect.moved_input = mean_distance(kind, replays.after.back(), replays.target);
  if (replays.same_input) effect.same_input = mean_distance(kind, *replays.same_input, replays.target);
  effect.accuracy_lost = task.p_value && *task.p_value < 0.05 && *task.target < *task.reference;
  return effect;
}

void decide(Verdict& verdict, const Effect& effect, const InputEvidence& input, Gate gate) {
  verdict.output_distance = effect.gap;
  verdict.output_floor = effect.floor;
  // What the causes do to the outputs: measured on the target's own model when it was replayed.
  const std::optional<double> caused = effect.moved_input ? effect.moved_input : effect.gap;
  const double limit = effect.moved_input ? kNoticeable : effect.floor;
  const bool mends_values = effect.broken > 0 && !effect.still_broken.value_or(true);
  if (caused && *caused <= limit && !effect.accuracy_lost && !mends_values)
    for (Cause& cause : verdict.causes)
      // Causes inside the model were judged on the logits. Other weights are never a mere note: what they answer on other
      // pictures is open. Nor are exchanged outputs: where their shapes tell them apart they have no distance at all.
      if (confirmed(cause) && cause.stage != "model" && cause.stage != "outputs") {
        cause.status = Status::kNote;
        cause.evidence.push_back("its effect on the outputs (" + number(*caused, 2) + ") stays under the floor (" +
                                 number(limit, 2) + ")");
      }
  const bool named = std::any_of(verdict.causes.begin(), verdict.causes.end(), confirmed);
  // What is left without an explanation; negative: not measured.
  double open = -1;
  if (!named || effect.moved) open = effect.rest.value_or(-1);
  // The inputs are equal but for how a decoder rounds: what remains on one and the same input is what needs a cause.
  const bool equal_input = input.diagnosis && input.diagnosis->status == InputDiagnosis::Status::kEqual;
  const double on_same_input = effect.same_input.value_or(open);
  if (!named && equal_input && on_same_input < open) {
    if (open > effect.floor && on_same_input <= effect.floor)
      verdict.warnings.push_back("the model inputs differ by " + number(input.diagnosis->rho0, 2) +
                                 " gray steps (RMS), as between two JPEG decoders or roundings; that alone moves the outputs by " +
                                 number(open, 2) + ". On the same input they differ by " + number(on_same_input, 2));
    open = on_same_input;
  }
  // They have no distance. Of a cause that was not replayed nobody knows whether it explains them.
  const bool broken = named ? effect.still_broken.value_or(false) : effect.broken > 0;
  bool gap_left = open > effect.floor || broken, rounding_adds_up = false;
  if (gap_left && !broken && !named && equal_input && effect.only_rounding) {
    verdict.warnings.push_back("on the same input and model file the outputs differ by " + number(open, 2) + " (floor " + number(effect.floor, 2) +
                               "), although every layer gives what the host's kernels give for its own inputs, up to rounding: that adds up here");
    gap_left = false;
    rounding_adds_up = true;
  }
  const bool loss_unexplained = effect.accuracy_lost && !named;
  if ((gap_left || loss_unexplained) && std::none_of(verdict.causes.begin(), verdict.causes.end(),
                               [](const Cause& c) { return c.status == Status::kPartial || c.kind == "other_model"; })) {
    Cause cause;
    cause.kind = "unknown";
    cause.status = Status::kPartial;
    cause.stage = named || equal_input ? "model" : "";
    cause.detail = named              ? "after the fixes the outputs still differ"
                   : gap_left         ? "the outputs differ"
                                      : "the accuracy is significantly lower, although the outputs differ little";
    if (broken && !named)
      cause.detail = std::to_string(effect.broken) + " values of the target's outputs are NaN or infinite, the reference's are not";
    else if (open >= 0)
      cause.detail += " by " + number(open, 2) + " (" + verdict.output_distance_kind + ", floor " + number(effect.floor, 2) + ")";
    if (!named && cause.stage == "model") cause.detail += "; the model input is the same";
    verdict.causes.push_back(std::move(cause));
  }
  std::stable_sort(verdict.causes.begin(), verdict.causes.end(), [](const Cause& a, const Cause& b) {
    return static_cast<int>(a.status == Status::kNote) < static_cast<int>(b.status == Status::kNote);
  });

  const bool nothing_compared = !effect.gap && !verdict.task.target && !named && !broken;
  const bool no_labels = gate == Gate::kAccuracy && !verdict.task.p_value;
  const bool differs = gate == Gate::kAccuracy ? effect.accuracy_lost : named || gap_left || effect.accuracy_lost;
  // Where a difference arises is of no interest when there is none to speak of.
  if (!gap_left && !effect.accuracy_lost)
    std::erase_if(verdict.causes, [](const Cause& c) { return c.stage == "model" && c.kind == "unknown"; });
  if (nothing_compared || no_labels) {
    verdict.outcome = Outcome::kUndecided;
    if (nothing_compared)
      verdict.would_decide.push_back("outputs of the same frames in target and reference; record both with --level io");
    if (no_labels) verdict.would_decide.push_back("true classes (--labels) for --gate accuracy");
    verdict.headline = "undecided: " + verdict.would_decide.front();
  } else if (differs) {
    verdict.outcome = Outcome::kDiffers;
    verdict.headline = difference_headline(verdict, effect);
    if (!named && !input.undecided.empty()) verdict.would_decide.push_back(input.undecided);
  } else if (rounding_adds_up && !verdict.task.p_value) {
    verdict.outcome = Outcome::kUndecided;
    verdict.headline = "undecided: every layer is right up to rounding, but that adds up on the outputs to " + number(open, 2) + " (floor " +
                       number(effect.floor, 2) + ")";
    verdict.would_decide.push_back("true classes (--labels), to tell whether rounding that adds up costs answers");
  } else if (input.diagnosis && input.diagnosis->status == InputDiagnosis::Status::kPartial) {
    // The input differs in a way that has no name, and nothing shows harm on these frames.
    verdict.outcome = Outcome::kUndecided;
    verdict.headline = "undecided: the model input differs, but the outputs stay within the floor";
    verdict.would_decide.push_back("more frames, or labels, to tell whether the unnamed difference of the input does harm");
  } else {
    verdict.outcome = Outcome::kAgrees;
    verdict.headline = rounding_adds_up ? "the target does what the reference does, layer by layer and up to rounding, which adds up here"
                                        : "the target does what the reference does";
    if (verdict.task.target && verdict.task.reference)
      verdict.headline += ": right on " + percent(*verdict.task.target) + interval_text(verdict.task.target_ci95) +
                          ", the reference on " + percent(*verdict.task.reference);
    else if (effect.gap)
      verdict.headline += ": outputs differ by " + number(*effect.gap, 2) + " (floor " + number(effect.floor, 2) + ")";
  }
}

}  // namespace edgeprobe::diagnose
