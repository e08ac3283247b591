#include "diagnose/decide.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

// The effect of a cause on the target's own outputs below which it is a note (one model, one engine: nothing but
// the cause differs, so the float floor holds whatever the number format).
constexpr double kNoticeable = 0.02;
// So many frames show a harm that befalls one frame in twenty with a probability of 95 %: 1 - 0.95^59.
constexpr std::uint64_t kTelling = 59;
// Inputs that could not be searched may lie so far apart, as two decoders of one picture do.
constexpr double kAlikeSteps = 2.2;

std::string interval_text(const std::optional<Interval>& ci) {
  return ci ? " (95 % interval " + number(ci->low * 100, 3) + "–" + number(ci->high * 100, 3) + " %)" : "";
}

bool confirmed(const Cause& cause) { return cause.status == CauseStatus::kConfirmed; }

// "the app feeds BGR; the reference feeds RGB" -> its first half.
std::string short_detail(const std::string& detail) { return detail.substr(0, detail.find("; ")); }

// "the app feeds BGR; the reference feeds RGB and the app flips the picture" of the causes that `which` picks; "" of none.
template <class Which>
std::string joined_details(const Verdict& verdict, Which which) {
  std::string text;
  for (const Cause& cause : verdict.causes)
    if (which(cause)) text += text.empty() ? cause.detail : " and " + short_detail(cause.detail);
  return text;
}

std::string nearly_text(const Verdict& verdict, const InputEvidence& input) {
  const std::string text = joined_details(verdict, [](const Cause& c) { return c.status == CauseStatus::kNearly; });
  return text.empty() || !input.diagnosis ? "" : "nearly: " + text + " (reproduced but for " + number(input.diagnosis->rho, 2) + " gray steps)";
}

std::string frames_text(std::size_t n) { return n == 1 ? "this frame" : "these " + std::to_string(n) + " frames"; }

std::string what_tells() {
  return std::to_string(kTelling) + " frames or more: so many show a harm that befalls one frame in twenty with a probability of 95 %";
}

// Right on so few answers that guessing does as well.
bool near_chance(const TaskResult& task) {
  if (!task.reference || !task.reference_ci95 || task.classes < 2) return false;
  const double chance = 1 / static_cast<double>(task.classes);
  return task.reference_ci95->low <= chance && task.reference_ci95->high < (1 + chance) / 2;
}

std::string difference_headline(const Verdict& verdict, const Effect& effect, const InputEvidence& input) {
  const auto named = std::count_if(verdict.causes.begin(), verdict.causes.end(), confirmed);
  std::string text = joined_details(verdict, confirmed);
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
  if (const std::string nearly = nearly_text(verdict, input); !nearly.empty()) return nearly;
  for (const Cause& cause : verdict.causes)
    if (cause.status == CauseStatus::kPartial) return "cause unknown: " + cause.detail;
  return "the target differs from the reference, cause unknown";
}

// What the causes weigh, and what is left without one.
struct Weighed {
  std::optional<double> caused;  // What the causes do to the outputs.
  double limit = 0;              // Below it that is nothing.
  double open = -1;              // Distance without an explanation; negative: not measured.
  bool harmless = false;         // The input is visibly wrong and its name is known, but the outputs hardly move on these frames.
  bool named = false;            // A cause is confirmed.
  bool broken = false;           // Outputs without a distance: NaN or infinite.
  bool gap_left = false, rounding_adds_up = false;
};

// Turns causes without effect into notes and adds "unknown" for what is left.
Weighed weigh(Verdict& verdict, const Effect& effect, const InputEvidence& input) {
  Weighed w;
  // What the causes do to the outputs: measured on the target's own model when it was replayed, else on the reference's.
  const std::optional<double> measured = effect.moved_input ? effect.moved_input : effect.faulty;
  w.caused = measured ? measured : effect.gap;
  w.limit = measured ? kNoticeable : effect.floor;
  const bool mends_values = effect.broken > 0 && !effect.still_broken.value_or(true);
  if (w.caused && *w.caused <= w.limit && !effect.accuracy_lost && !mends_values)
    for (Cause& cause : verdict.causes)
      // Causes inside the model were judged on the logits. Other weights are never a mere note: what they answer on other
      // pictures is open. Nor are exchanged outputs: where their shapes tell them apart they have no distance at all.
      // Nor is a model input without a picture.
      if (confirmed(cause) && cause.stage != CauseStage::kModel && cause.stage != CauseStage::kOutputs && !is_without_picture(cause.kind)) {
        cause.status = CauseStatus::kNote;
        w.harmless = true;
        cause.evidence.push_back("its effect on the outputs (" + number(*w.caused, 2) + ") stays under the floor (" +
                                 number(w.limit, 2) + ")");
      }
  w.named = std::any_of(verdict.causes.begin(), verdict.causes.end(), confirmed);
  if (!w.named || effect.moved) w.open = effect.rest.value_or(-1);
  // The inputs are equal but for how a decoder rounds: what remains on one and the same input is what needs a cause. Codes that
  // cut both sides off make them equal as well, and excuse nothing.
  const bool equal_input = input.diagnosis && input.diagnosis->status == InputDiagnosis::Status::kEqual && !input.scale;
  const double on_same_input = effect.same_input.value_or(w.open);
  if (!w.named && equal_input && on_same_input < w.open) {
    if (w.open > effect.floor && on_same_input <= effect.floor)
      verdict.warnings.push_back("the model inputs differ by " + number(input.diagnosis->rho0, 2) +
                                 " gray steps (RMS), as between two JPEG decoders or roundings; that alone moves the outputs by " +
                                 number(w.open, 2) + ". On the same input they differ by " + number(on_same_input, 2));
    w.open = on_same_input;
  }
  // They have no distance. Of a cause that was not replayed nobody knows whether it explains them.
  w.broken = w.named ? effect.still_broken.value_or(false) : effect.broken > 0;
  w.gap_left = w.open > effect.floor || w.broken;
  if (w.gap_left && !w.broken && !w.named && equal_input && effect.only_rounding) {
    verdict.warnings.push_back("on the same input and model file the outputs differ by " + number(w.open, 2) + " (floor " + number(effect.floor, 2) +
                               "), although every layer gives what the host's kernels give for its own inputs, up to rounding: that adds up here");
    w.gap_left = false;
    w.rounding_adds_up = true;
  }
  const bool loss_unexplained = effect.accuracy_lost && !w.named;
  if ((w.gap_left || loss_unexplained) && std::none_of(verdict.causes.begin(), verdict.causes.end(),
                               [](const Cause& c) { return c.status == CauseStatus::kPartial || c.status == CauseStatus::kNearly || c.kind == CauseKind::kOtherModel; })) {
    Cause cause;
    cause.kind = CauseKind::kUnknown;
    cause.status = CauseStatus::kPartial;
    if (w.named || equal_input) cause.stage = CauseStage::kModel;
    cause.detail = w.named      ? "after the fixes the outputs still differ"
                   : w.gap_left ? "the outputs differ"
                                : "the accuracy is significantly lower, although the outputs differ little";
    if (w.broken && !w.named)
      cause.detail = std::to_string(effect.broken) + " values of the target's outputs are NaN or infinite, the reference's are not";
    else if (w.open >= 0)
      cause.detail += " by " + number(w.open, 2) + " (" + verdict.output_distance_kind + ", floor " + number(effect.floor, 2) + ")";
    if (!w.named && cause.stage == CauseStage::kModel) cause.detail += "; the model input is the same";
    verdict.causes.push_back(std::move(cause));
  }
  std::stable_sort(verdict.causes.begin(), verdict.causes.end(), [](const Cause& a, const Cause& b) {
    return static_cast<int>(a.status == CauseStatus::kNote) < static_cast<int>(b.status == CauseStatus::kNote);
  });
  return w;
}

// Sets outcome, headline and what would decide.
void conclude(Verdict& verdict, const Weighed& w, const Effect& effect, const InputEvidence& input, Gate gate) {
  const bool nothing_compared = !effect.gap && !verdict.task.target && !w.named && !w.broken;
  const bool no_labels = gate == Gate::kAccuracy && !verdict.task.p_value;
  const bool differs = gate == Gate::kAccuracy ? effect.accuracy_lost : w.named || w.gap_left || effect.accuracy_lost;
  // Where a difference arises is of no interest when there is none to speak of.
  if (!w.gap_left && !effect.accuracy_lost)
    std::erase_if(verdict.causes, [](const Cause& c) { return c.stage == CauseStage::kModel && c.kind == CauseKind::kUnknown; });
  if (nothing_compared || no_labels) {
    verdict.outcome = Outcome::kUndecided;
    if (nothing_compared && !effect.unlike.empty())
      verdict.would_decide.push_back("a reference for this model: the trace is of another one, " + effect.unlike);
    else if (nothing_compared)
      verdict.would_decide.push_back(effect.uncompared.empty() ? "outputs of the same frames in target and reference; record both with --level io"
                                                               : effect.uncompared);
    if (no_labels) verdict.would_decide.push_back("true classes (--labels) for --gate accuracy");
    verdict.headline = "undecided: " + (nothing_compared && !effect.unlike.empty() ? "the trace is of another model than the reference: " + effect.unlike
                                                                                   : verdict.would_decide.front());
  } else if (differs) {
    verdict.outcome = Outcome::kDiffers;
    verdict.headline = difference_headline(verdict, effect, input);
    if (!w.named && !input.undecided.empty()) verdict.would_decide.push_back(input.undecided);
  } else if (w.rounding_adds_up && !verdict.task.p_value) {
    verdict.outcome = Outcome::kUndecided;
    verdict.headline = "undecided: every layer is right up to rounding, but that adds up on the outputs to " + number(w.open, 2) + " (floor " +
                       number(effect.floor, 2) + ")";
    verdict.would_decide.push_back("true classes (--labels), to tell whether rounding that adds up costs answers");
  } else if ((w.harmless && gate == Gate::kOutputs) || ((w.harmless || w.named) && verdict.task.n < kTelling)) {
    verdict.outcome = Outcome::kUndecided;
    const auto of_input = [](const Cause& c) { return c.stage == CauseStage::kPreprocessing && (c.status == CauseStatus::kNote || confirmed(c)); };
    const std::size_t frames = gate == Gate::kOutputs ? effect.replayed : verdict.task.n;
    verdict.headline = "undecided: " + joined_details(verdict, of_input);
    if (w.caused) verdict.headline += "; on " + frames_text(frames) + " that moves the outputs by " + number(*w.caused, 2) + " (limit " + number(w.limit, 2) + ")";
    verdict.would_decide.push_back(frames < kTelling ? what_tells()
                                                     : "nothing more is open of the cause: mend it, or judge by --gate accuracy with --labels "
                                                       "when what costs no answers may pass");
  } else if (input.diagnosis && input.diagnosis->status == InputDiagnosis::Status::kPartial) {
    // The input differs in a way that has no name, and nothing shows harm on these frames.
    verdict.outcome = Outcome::kUndecided;
    const std::string nearly = nearly_text(verdict, input);
    verdict.headline = nearly.empty() ? "undecided: the model input differs, but the outputs stay within the floor"
                                      : "undecided: " + nearly + "; the outputs stay within the floor";
    verdict.would_decide.push_back("more frames, or labels, to tell whether the unnamed difference of the input does harm");
  } else if (effect.input_steps > kAlikeSteps && gate == Gate::kOutputs) {
    verdict.outcome = Outcome::kUndecided;
    verdict.headline = "undecided: the model inputs differ by " + percent(effect.input_steps / 255) + " of their range (RMS), but the outputs stay within the floor";
    verdict.would_decide.push_back("more frames, or labels and --gate accuracy, to tell whether that difference does harm");
    if (!input.undecided.empty()) verdict.would_decide.push_back(input.undecided);
  } else {
    verdict.outcome = Outcome::kAgrees;
    verdict.headline = w.rounding_adds_up ? "the target does what the reference does, layer by layer and up to rounding, which adds up here"
                                        : "the target does what the reference does";
    if (w.harmless || w.named) verdict.headline = "the accuracy is the reference's, although the input is not";
    if (verdict.task.target && verdict.task.reference)
      verdict.headline += ": right on " + percent(*verdict.task.target) + interval_text(verdict.task.target_ci95) +
                          ", the reference on " + percent(*verdict.task.reference);
    else if (effect.gap)
      verdict.headline += ": outputs differ by " + number(*effect.gap, 2) + " (floor " + number(effect.floor, 2) + ")";
  }
}

}  // namespace

std::optional<Gate> gate_from_name(std::string_view text) {
  if (text == "outputs") return Gate::kOutputs;
  if (text == "accuracy") return Gate::kAccuracy;
  return std::nullopt;
}

void decide(Verdict& verdict, const Effect& effect, const InputEvidence& input, Gate gate) {
  verdict.output_distance = effect.gap;
  verdict.output_floor = effect.floor;
  const Weighed w = weigh(verdict, effect, input);
  conclude(verdict, w, effect, input, gate);
  const bool by_guess = input.diagnosis && input.diagnosis->status == InputDiagnosis::Status::kPartial;
  if (input.against_guess && !w.named && !w.broken && (verdict.outcome == Outcome::kDiffers || by_guess)) {
    verdict.outcome = Outcome::kUndecided;
    verdict.headline = "undecided: what was the model trained with? give --reference-recipe; " +
                       (input.app_recipe.empty() ? std::string("its default was taken, and the target does something else")
                                                 : "the app does: " + input.app_recipe);
    verdict.would_decide = {"the recipe that the model was trained with: --reference-recipe R"};
  }
  if (near_chance(verdict.task)) {
    const std::string suspect = "the reference itself is right on " + percent(*verdict.task.reference) + ", near chance for " +
                                std::to_string(verdict.task.classes) + " classes: check labels and recipe";
    verdict.headline += "; " + suspect;
    verdict.warnings.insert(verdict.warnings.begin(), suspect);
  }
}

}  // namespace edgeprobe::diagnose
