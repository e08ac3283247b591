#include "diagnose/causes.h"

#include <algorithm>
#include <numeric>

#include "core/spread.h"
#include "core/text.h"
#include "diagnose/culprits.h"
#include "diagnose/extent.h"
#include "pipeline/picture.h"
#include "task/classification.h"

namespace edgeprobe::diagnose {
namespace {

// A difference of less than one 8-bit step (RMS) is how values were rounded, whatever step of a recipe could be written to
// do the same: real, but never the cause of anything.
constexpr double kVisibleSteps = 1;
constexpr double kWorthNaming = 0.25;  // Of the distance at the model input.

struct HeldFrame {
  std::string sample;
  preprocess::Image image;
  Tensor input;
  Bytes encoded;  // What the picture was read from; empty when only pixels are known.
  std::optional<preprocess::YuvFrame> frame;
};

// Of these samples, those whose model input is at hand too, evenly spread.
Result<std::vector<HeldFrame>> held_frames(const Case& known, const trace::ReadChannel& input, const std::vector<std::size_t>& of) {
  std::vector<HeldFrame> held;
  for (const std::size_t k : spread(of.size(), known.input_frames)) {
    const std::size_t i = of[k];
    const auto message = known.target->read(known.raw->frames[i], input.id);
    if (!message) return message.error();
    if (!*message) continue;
    auto loaded = known.raw->samples[i].load();
    if (!loaded) return std::move(loaded.error());
    auto picture = pipeline::picture_for(known.reference_pipeline->recipe, *loaded);
    if (!picture) return std::move(picture.error()).during("'" + printable(known.raw->samples[i].name) + "'");
    held.push_back({known.raw->samples[i].name, *std::move(picture), (*message)->copy(), std::move(loaded->encoded), loaded->frame});
  }
  return held;
}

// The target's chain for the reference's model: only the last step, to integers, may have to go. Nothing when the two
// inputs differ in more than that.
std::optional<preprocess::Recipe> for_reference(const Case& known, preprocess::Recipe recipe) {
  if (!known.reference_pipeline) return std::nullopt;
  const DType target = input_channel(*known.target)->channel.spec.dtype;
  const DType reference = known.reference_pipeline->input().dtype;
  if (target == reference) return recipe;
  if (!is_float(reference) || recipe.steps.empty() || !std::holds_alternative<preprocess::Quantize>(recipe.steps.back()))
    return std::nullopt;
  recipe.steps.pop_back();
  return recipe;
}

// A uint8 model may take the pixels themselves, with a recipe that ends in whole values and says no more. The search reads
// stored values by the recipe's last step, so it is told what apply() does.
preprocess::Recipe with_stored_type(preprocess::Recipe recipe, const TensorSpec& input) {
  const bool stated = std::any_of(recipe.steps.begin(), recipe.steps.end(), [](const preprocess::Step& step) {
    return std::holds_alternative<preprocess::Quantize>(step) || std::holds_alternative<preprocess::Cast>(step);
  });
  if (input.dtype == DType::kUInt8 && !stated) recipe.steps.push_back(preprocess::Cast{DType::kUInt8});
  return recipe;
}

// The search works on pictures; what it found is replayed from the recorded bytes, decoded as the reference decodes them.
void put_first(const preprocess::Decode& how, InputDiagnosis& diagnosis) {
  const auto put = [&](preprocess::Recipe& recipe) { recipe.steps.insert(recipe.steps.begin(), how); };
  put(diagnosis.target_recipe);
  for (InputFault& fault : diagnosis.faults) put(fault.without_it);
}

// The reference's model on the model inputs that the target recorded: what is left between the two is the model's doing.
// Empty when the recorded input does not fit the reference's.
Result<Answers> reference_on_recorded(const Case& known, const std::vector<std::uint32_t>& frames) {
  Answers answers;
  const trace::ReadChannel* channel = input_channel(*known.target);
  if (!known.reference_pipeline || !channel) return answers;
  const TensorSpec& wanted = known.reference_pipeline->input();
  const TensorSpec& recorded = channel->channel.spec;
  const bool same = recorded.dtype == wanted.dtype && recorded.quantization == wanted.quantization;
  if (recorded.shape != wanted.shape || (!same && wanted.dtype != DType::kFloat32)) return answers;
  for (const std::uint32_t frame : frames) {
    if (known.control.stopped()) return interrupted();
    const auto message = known.target->read(frame, channel->id);
    if (!message) return message.error();
    answers.frames.push_back(frame);
    answers.outputs.emplace_back();
    if (!*message) continue;
    Tensor input{wanted, (*message)->bytes.copy()};
    if (!same) {
      const auto values = to_float(**message);
      if (!values) return values.error();
      input = make_tensor(wanted.name, wanted.shape, *values);
    }
    auto inference = known.reference_pipeline->session->infer({input});
    if (!inference) return std::move(inference.error()).during("reference on the recorded input");
    auto outputs = outputs_of(inference->outputs);
    if (!outputs) return std::move(outputs.error());
    answers.outputs.back() = *std::move(outputs);
    if (known.control.progress) known.control.progress(answers.frames.size(), frames.size(), "frames of the reference on the recorded input");
  }
  return answers;
}

}  // namespace

Result<InputEvidence> examine_input(const Study& study) {
  const Case& known = study.known;
  InputEvidence evidence;
  const trace::ReadChannel* input = input_channel(*known.target);
  if (!input) {
    evidence.undecided = "the trace holds no model input; record it with --level io";
    return evidence;
  }
  const bool has_recipe = known.reference_pipeline && known.reference_pipeline->has_recipe();
  if (!known.raw || known.raw->samples.empty() || !has_recipe) {
    evidence.undecided = has_recipe
                             ? "there is no raw input to search from; give the pictures with --data DIR"
                             : "there is no reference recipe to search from; give --reference MODEL --reference-recipe R";
    std::vector<Tensor> tensors;
    for (const std::size_t i : spread(known.target->frames().size(), known.input_frames)) {
      const auto message = known.target->read(known.target->frames()[i], input->id);
      if (message && *message) tensors.push_back((*message)->copy());
    }
    evidence.without_raw = describe_without_raw({tensors.begin(), tensors.end()});
    return evidence;
  }
  // A fault may lie in some frames alone (turned pictures, one of two cameras): they are the ones to search in.
  const auto steps = input_steps(study);
  if (!steps) return steps.error();
  std::vector<std::size_t> differing, every(known.raw->samples.size());
  for (const InputStep& step : steps->frames)
    if (step.steps > steps->same) differing.push_back(step.sample);
  std::iota(every.begin(), every.end(), std::size_t{0});
  const bool some = !differing.empty() && differing.size() < steps->frames.size();
  const auto held = held_frames(known, *input, some ? differing : every);
  if (!held) return held.error();
  std::vector<InputFrame> frames;
  for (const HeldFrame& frame : *held) {
    std::optional<preprocess::Source> source;
    if (!frame.encoded.empty()) source = preprocess::Source{frame.encoded, frame.frame};
    frames.push_back({frame.sample, &frame.image, frame.input, source});
  }
  if (frames.empty()) {
    evidence.undecided = "no frame has both a raw input and a recorded model input";
    return evidence;
  }
  const TensorSpec& reference_input = known.reference_pipeline->input();
  const preprocess::Recipe& recipe = known.reference_pipeline->recipe;
  auto diagnosis = diagnose_input(frames, with_stored_type(preprocess::without_decode(recipe), reference_input), reference_input,
                                  input->channel.spec);
  if (!diagnosis) return std::move(diagnosis.error()).during("diagnosis of the model input");
  evidence.diagnosis = *std::move(diagnosis);
  if (const preprocess::Decode* how = preprocess::decode_step(recipe)) put_first(*how, *evidence.diagnosis);
  const auto in_frames = [](std::size_t n, std::size_t all) { return "in " + std::to_string(n) + " of " + std::to_string(all) + " frames"; };
  using State = InputDiagnosis::Status;
  if (some && evidence.diagnosis->status != State::kEqual) evidence.where = in_frames(differing.size(), steps->frames.size());
  if (evidence.diagnosis->status != State::kFound || differing.empty()) return evidence;
  const auto extent = extent_of(study, *steps, evidence.diagnosis->target_recipe);
  if (!extent) return extent.error();
  // When the recipe holds nowhere beyond the frames that were searched, nothing is known of the others.
  if (extent->with == 0) return evidence;
  // Frames that show no fault may be unable to: a gray picture has no order of channels.
  evidence.where = extent->not_with.empty() ? "" : in_frames(extent->with, extent->all());
  evidence.not_with = extent->not_with;
  if (extent->otherwise > 0)
    evidence.otherwise = in_frames(extent->otherwise, extent->all()) + " the model input differs otherwise, as of '" +
                         printable(extent->example, 80) + "'";
  return evidence;
}

Result<Replays> replay_fixes(const Study& study, const InputEvidence& input, const culprit::Analysis* inside) {
  const Case& known = study.known;
  Replays replays;
  const bool found = input.diagnosis && input.diagnosis->status == InputDiagnosis::Status::kFound;
  const auto partner = partners(study);

  // Frames that both traces have, and whose raw input is at hand when it is needed, can be replayed and compared.
  std::vector<std::size_t> able;
  for (std::size_t i = 0; known.raw && i < known.raw->frames.size(); ++i)
    if (partner.count(known.raw->frames[i])) able.push_back(i);
  if (able.empty() && !inside) return replays;
  std::vector<std::size_t> which;
  std::vector<std::uint32_t> frames, reference_frames;
  for (const std::size_t k : spread(able.size(), known.max_replay)) {
    which.push_back(able[k]);
    frames.push_back(known.raw->frames[able[k]]);
  }
  if (able.empty())
    for (const std::size_t k : spread(study.agreement.frames.size(), known.max_replay))
      frames.push_back(study.agreement.frames[k].target);
  for (const std::uint32_t frame : frames) reference_frames.push_back(partner.at(frame));
  auto reference = recorded(*known.reference, reference_frames);
  if (!reference) return std::move(reference.error()).during("reference trace");
  auto target = recorded(*known.target, frames);
  if (!target) return std::move(target.error()).during("target trace");
  replays.reference = *std::move(reference);
  replays.reference.frames = frames;  // Known by the target's numbers from here on.
  replays.target = *std::move(target);

  if (inside) {
    auto mended = mended_answers(study, input, *inside, frames, which);
    if (!mended && mended.error().fault == Fault::kInterrupted) return std::move(mended.error());
    if (mended) replays.mended_steps = *std::move(mended);
    else replays.not_mended = "the repaired model does not run: " + mended.error().what;
  }
  if (!found) {
    auto same = reference_on_recorded(known, frames);
    if (!same) return std::move(same.error());
    replays.same_input = *std::move(same);
    return replays;
  }
  const InputDiagnosis& diagnosis = *input.diagnosis;
  // Where the fault is not, nothing is to be mended or to be made wrong.
  const auto as_recorded = [&](const Answers& recorded, Answers& answers) {
    for (std::size_t i = 0; i < answers.frames.size(); ++i)
      if (std::binary_search(input.not_with.begin(), input.not_with.end(), answers.frames[i])) answers.outputs[i] = recorded.outputs[i];
  };
  if (const auto recipe = for_reference(known, diagnosis.target_recipe)) {
    auto answers = replayed(*known.reference_pipeline, *recipe, *known.raw, which, known.control, "frames of the reference with the fault");
    if (!answers) return std::move(answers.error());
    as_recorded(replays.reference, *answers);
    replays.faulty_reference = *std::move(answers);
  }
  if (!known.target_model) {
    replays.unavailable = "the target's own model is not at hand; give it with --model";
    return replays;
  }
  auto same = replayed(*known.target_model, diagnosis.target_recipe, *known.raw, which, known.control,
                       "frames of the target's model as it was fed");
  if (!same) return std::move(same.error());
  as_recorded(replays.target, *same);
  replays.reproduced = mean_distance(study.agreement.output_distance_kind, replays.target, *same);
  for (const InputFault& fault : diagnosis.faults) {
    auto answers = replayed(*known.target_model, fault.without_it, *known.raw, which, known.control,
                            "frames with " + fault.kind + " mended");
    if (!answers) return std::move(answers.error());
    as_recorded(replays.target, *answers);
    replays.after.push_back(*std::move(answers));
  }
  if (!replays.after.empty()) replays.fixed = replays.after.back();
  return replays;
}

std::vector<Cause> input_causes(const InputEvidence& input) {
  const InputDiagnosis& diagnosis = *input.diagnosis;
  const std::string where = input.where.empty() ? "" : input.where + " ";
  std::vector<Cause> causes;
  const double explains =
      diagnosis.rho0 > 0 ? std::max(0.0, 1 - diagnosis.rho * diagnosis.rho / (diagnosis.rho0 * diagnosis.rho0)) : 0;
  const auto add = [&](const InputFault& fault, Status status) {
    Cause cause;
    cause.kind = fault.kind;
    cause.status = status;
    cause.stage = "preprocessing";
    cause.detail = where + fault.detail;
    cause.alternatives = fault.alternatives;
    cause.explains = explains;
    cause.contribution = fault.contribution;
    cause.fix_step = fault.fix_step;
    causes.push_back(std::move(cause));
  };
  switch (diagnosis.status) {
    case InputDiagnosis::Status::kFound:
      for (const InputFault& fault : diagnosis.faults)
        add(fault, fault.contribution < kVisibleSteps ? Status::kNote : Status::kConfirmed);
      break;
    case InputDiagnosis::Status::kPartial: {
      Cause cause;
      cause.kind = "unknown";
      cause.status = Status::kPartial;
      cause.stage = "preprocessing";
      cause.detail = where + "the model input differs and no known change reproduces it";
      // What explains next to nothing is no help.
      if (!diagnosis.faults.empty() && explains >= kWorthNaming) {
        cause.detail += "; nearest: " + diagnosis.faults.front().detail;
        for (std::size_t i = 1; i < diagnosis.faults.size(); ++i) cause.detail += "; and " + diagnosis.faults[i].detail;
      }
      cause.explains = explains;
      causes.push_back(std::move(cause));
      break;
    }
    case InputDiagnosis::Status::kUndecidable:
      if (!where.empty()) {
        Cause cause;
        cause.kind = "unknown";
        cause.status = Status::kPartial;
        cause.stage = "preprocessing";
        cause.detail = where + "the model input differs, and cannot be searched: " + diagnosis.reason;
        causes.push_back(std::move(cause));
      }
      break;
    case InputDiagnosis::Status::kEqual: break;
  }
  if (!causes.empty()) causes.front().evidence = diagnosis.evidence;
  if (!input.otherwise.empty()) {
    Cause cause;
    cause.kind = "unknown";
    cause.status = Status::kPartial;
    cause.stage = "preprocessing";
    cause.detail = input.otherwise;
    causes.push_back(std::move(cause));
  }
  for (const InputFault& note : diagnosis.notes) add(note, Status::kNote);
  return causes;
}

void add_restored(std::vector<Cause>& causes, const Study& study, const Replays& replays) {
  const compare::OutputDistance kind = study.agreement.output_distance_kind;
  const auto right_on = [&](const Answers& answers) { return accuracy(answers, study.labels, study.scores).share(); };
  const auto target = right_on(replays.target);
  const auto gap = mean_distance(kind, replays.reference, replays.target);
  const auto say = [&](Cause& cause, const Answers& after) {
    if (const auto share = right_on(after)) {
      cause.restored = *share;
      cause.restored_unit = "accuracy";
    } else if (const auto left = mean_distance(kind, replays.reference, after); left && gap && *gap > 0) {
      cause.restored = std::max(0.0, 1 - *left / *gap);
      cause.restored_unit = "output_distance";
    } else {
      cause.restored_unavailable = "the outputs of target and reference cannot be compared, or do not differ";
    }
  };
  std::size_t fix = 0;
  Cause* last_kernel = nullptr;
  for (Cause& cause : causes) {
    if (cause.status != Status::kConfirmed) continue;
    if (cause.mended_by >= 0) {
      if (cause.kind == "kernel" && last_kernel) last_kernel->restored_unavailable = "all kernels are replaced at once; see the last of them";
      if (cause.kind == "kernel") last_kernel = &cause;
      else if (static_cast<std::size_t>(cause.mended_by) < replays.mended_steps.size()) say(cause, replays.mended_steps[static_cast<std::size_t>(cause.mended_by)]);
      else cause.restored_unavailable = replays.not_mended;
    }
    if (cause.stage != "preprocessing") continue;
    if (fix >= replays.after.size()) {
      cause.restored_unavailable = replays.unavailable;
      continue;
    }
    say(cause, replays.after[fix++]);
  }
  if (last_kernel && !replays.mended_steps.empty()) say(*last_kernel, replays.mended_steps.front());
  else if (last_kernel) last_kernel->restored_unavailable = replays.not_mended;
  const auto first = std::find_if(causes.begin(), causes.end(), [](const Cause& c) {
    return c.status == Status::kConfirmed && c.stage == "preprocessing";
  });
  if (first == causes.end()) return;
  if (replays.faulty_reference) {
    const auto share = right_on(*replays.faulty_reference);
    const auto distance = mean_distance(kind, *replays.faulty_reference, replays.target);
    if (share && target)
      first->evidence.push_back("the reference replayed with this change is right on " + percent(*share) +
                                "; the target, as recorded, on " + percent(*target));
    if (distance && gap)
      first->evidence.push_back("replayed with this change, the reference's outputs lie " + number(*distance, 3) +
                                " from the target's (" + name(kind) + "); without it, " + number(*gap, 3));
  }
  if (replays.reproduced)
    first->evidence.push_back("the target's own model, fed with the reconstructed input, gives the recorded outputs " +
                              (*replays.reproduced == 0 ? std::string("exactly")
                                                        : "to " + number(*replays.reproduced, 2) + " (" + name(kind) + ")"));
}

std::map<std::uint32_t, std::uint32_t> partners(const Study& study) {
  std::map<std::uint32_t, std::uint32_t> partner;
  for (const compare::FrameAgreement& frame : study.agreement.frames) partner.emplace(frame.target, frame.reference);
  return partner;
}

Result<Study> study(const Case& known) {
  compare::CompareOptions options;
  options.stop = known.control.stop;
  if (known.control.progress)
    options.progress = [&](std::size_t done, std::size_t all) { known.control.progress(done, all, "frames compared"); };
  auto agreement = compare::compare_traces(*known.reference, *known.target, options);
  if (!agreement) return std::move(agreement.error()).during("comparison of the traces");
  if (agreement->interrupted) return interrupted();
  Study study{known, *std::move(agreement), {}, std::nullopt};
  for (const compare::FrameAgreement& frame : study.agreement.frames)
    if (frame.label) study.labels.emplace(frame.target, *frame.label);
  for (std::size_t i = 0; known.raw && i < known.raw->samples.size(); ++i)
    if (known.raw->samples[i].label) study.labels.emplace(known.raw->frames[i], *known.raw->samples[i].label);
  std::vector<TensorSpec> outputs;
  for (const trace::ReadChannel* channel : output_channels(*known.reference)) outputs.push_back(channel->channel.spec);
  study.scores = task::class_output(outputs);
  return study;
}

}  // namespace edgeprobe::diagnose
