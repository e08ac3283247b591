#include "diagnose/causes.h"

#include <algorithm>

#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

std::vector<std::size_t> spread(std::size_t all, std::size_t most) {
  std::vector<std::size_t> which;
  const std::size_t count = std::min(all, most);
  for (std::size_t i = 0; i < count; ++i) which.push_back(i * all / count);
  return which;
}

const trace::ReadChannel* model_input(const trace::Reader& reader) {
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.channel.stage == trace::Stage::kModelInput) return &channel;
  return nullptr;
}

struct HeldFrame {
  std::string sample;
  preprocess::Image image;
  Tensor input;
};

// Frames whose raw input and model input are both at hand, evenly spread.
Result<std::vector<HeldFrame>> held_frames(const Case& known, const trace::ReadChannel& input) {
  std::vector<HeldFrame> held;
  for (const std::size_t i : spread(known.raw->samples.size(), known.input_frames)) {
    const auto message = known.target->read(known.raw->frames[i], input.id);
    if (!message) return message.error();
    if (!*message) continue;
    auto loaded = known.raw->samples[i].load();
    if (!loaded) return std::move(loaded.error());
    held.push_back({known.raw->samples[i].name, std::move(loaded->image), (*message)->copy()});
  }
  return held;
}

double share_or(const std::optional<double>& value, double fallback) { return value.value_or(fallback); }

}  // namespace

Result<InputEvidence> examine_input(const Case& known) {
  InputEvidence evidence;
  const trace::ReadChannel* input = model_input(*known.target);
  if (!input) {
    evidence.undecided = "the trace holds no model input; record it with --level io";
    return evidence;
  }
  if (!known.raw || known.raw->samples.empty() || !known.reference_pipeline) {
    evidence.undecided = known.reference_pipeline
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
  const auto held = held_frames(known, *input);
  if (!held) return held.error();
  std::vector<InputFrame> frames;
  for (const HeldFrame& frame : *held) frames.push_back({frame.sample, &frame.image, frame.input});
  if (frames.empty()) {
    evidence.undecided = "no frame has both a raw input and a recorded model input";
    return evidence;
  }
  auto diagnosis = diagnose_input(frames, known.reference_pipeline->recipe, known.reference_pipeline->input(),
                                  input->channel.spec);
  if (!diagnosis) return std::move(diagnosis.error()).during("diagnosis of the model input");
  evidence.diagnosis = *std::move(diagnosis);
  return evidence;
}

Result<Replays> replay_fixes(const Case& known, const InputEvidence& input) {
  Replays replays;
  const bool found = input.diagnosis && input.diagnosis->status == InputDiagnosis::Status::kFound;
  std::vector<std::size_t> which;
  std::vector<std::uint32_t> frames;
  if (found && known.raw) {
    which = spread(known.raw->samples.size(), known.max_replay);
    for (const std::size_t i : which) frames.push_back(known.raw->frames[i]);
  } else {
    for (const std::size_t i : spread(known.target->frames().size(), known.max_replay))
      frames.push_back(known.target->frames()[i]);
  }
  const auto partner = partners(*known.target, *known.reference);
  std::vector<std::uint32_t> reference_frames;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < frames.size(); ++i)
    if (const auto at = partner.find(frames[i]); at != partner.end()) {
      reference_frames.push_back(at->second);
      kept.push_back(i);
    }
  const auto keep = [&](auto& values) {
    for (std::size_t k = 0; k < kept.size() && !values.empty(); ++k) values[k] = values[kept[k]];
    if (!values.empty()) values.resize(kept.size());
  };
  keep(frames);
  keep(which);
  auto reference = recorded(*known.reference, reference_frames);
  if (!reference) return std::move(reference.error()).during("reference trace");
  auto target = recorded(*known.target, frames);
  if (!target) return std::move(target.error()).during("target trace");
  replays.reference = *std::move(reference);
  replays.reference.frames = frames;  // Known by the target's numbers from here on.
  replays.target = *std::move(target);
  for (const Outputs& outputs : replays.reference.outputs)
    if (!outputs.empty()) {
      replays.kind = distance_kind(outputs);
      break;
    }
  if (!found) return replays;

  const InputDiagnosis& diagnosis = *input.diagnosis;
  if (known.reference_pipeline &&
      known.reference_pipeline->input().dtype == model_input(*known.target)->channel.spec.dtype) {
    auto answers = replayed(*known.reference_pipeline, diagnosis.target_recipe, *known.raw, which, known.control,
                            "frames of the reference with the fault");
    if (!answers) return std::move(answers.error());
    replays.faulty_reference = *std::move(answers);
  }
  if (!known.target_model) {
    replays.unavailable = "the target's own model is not at hand; give it with --model";
    return replays;
  }
  auto same = replayed(*known.target_model, diagnosis.target_recipe, *known.raw, which, known.control,
                       "frames of the target's model as it was fed");
  if (!same) return std::move(same.error());
  replays.reproduced = mean_distance(replays.kind, replays.target, *same);
  for (const InputFault& fault : diagnosis.faults) {
    auto answers = replayed(*known.target_model, fault.without_it, *known.raw, which, known.control,
                            "frames with " + fault.kind + " mended");
    if (!answers) return std::move(answers.error());
    replays.after.push_back(*std::move(answers));
  }
  if (!replays.after.empty()) replays.fixed = replays.after.back();
  return replays;
}

std::vector<Cause> input_causes(const InputDiagnosis& diagnosis) {
  std::vector<Cause> causes;
  const double explains =
      diagnosis.rho0 > 0 ? std::max(0.0, 1 - diagnosis.rho * diagnosis.rho / (diagnosis.rho0 * diagnosis.rho0)) : 0;
  const auto add = [&](const InputFault& fault, Status status) {
    Cause cause;
    cause.kind = fault.kind;
    cause.status = status;
    cause.stage = "preprocessing";
    cause.detail = fault.detail;
    cause.alternatives = fault.alternatives;
    cause.explains = explains;
    cause.contribution = fault.contribution;
    cause.fix_step = fault.fix_step;
    causes.push_back(std::move(cause));
  };
  switch (diagnosis.status) {
    case InputDiagnosis::Status::kFound:
      for (const InputFault& fault : diagnosis.faults) add(fault, Status::kConfirmed);
      break;
    case InputDiagnosis::Status::kPartial: {
      Cause cause;
      cause.kind = "unknown";
      cause.status = Status::kPartial;
      cause.stage = "preprocessing";
      cause.detail = "the model input differs and no known change reproduces it";
      if (!diagnosis.faults.empty()) {
        cause.detail += "; nearest: " + diagnosis.faults.front().detail;
        for (std::size_t i = 1; i < diagnosis.faults.size(); ++i) cause.detail += "; and " + diagnosis.faults[i].detail;
      }
      cause.explains = explains;
      causes.push_back(std::move(cause));
      break;
    }
    case InputDiagnosis::Status::kEqual:
    case InputDiagnosis::Status::kUndecidable: break;
  }
  if (!causes.empty()) causes.front().evidence = diagnosis.evidence;
  for (const InputFault& note : diagnosis.notes) add(note, Status::kNote);
  return causes;
}

void add_restored(std::vector<Cause>& causes, const Replays& replays, const std::map<std::uint32_t, int>& labels) {
  const Accuracy target = accuracy(replays.target, labels);
  const auto gap = mean_distance(replays.kind, replays.reference, replays.target);
  std::size_t fix = 0;
  for (Cause& cause : causes) {
    if (cause.status != Status::kConfirmed || cause.stage != "preprocessing") continue;
    if (fix >= replays.after.size()) {
      cause.restored_unavailable = replays.unavailable;
      continue;
    }
    const Answers& after = replays.after[fix++];
    if (const auto share = accuracy(after, labels).share()) {
      cause.restored = *share;
      cause.restored_unit = "accuracy";
    } else if (const auto left = mean_distance(replays.kind, replays.reference, after); left && gap && *gap > 0) {
      cause.restored = std::max(0.0, 1 - *left / *gap);
      cause.restored_unit = "output_distance";
    } else {
      cause.restored_unavailable = "the outputs of target and reference cannot be compared, or do not differ";
    }
  }
  const auto first = std::find_if(causes.begin(), causes.end(), [](const Cause& c) { return c.status == Status::kConfirmed; });
  if (first == causes.end()) return;
  if (replays.faulty_reference) {
    const auto share = accuracy(*replays.faulty_reference, labels).share();
    const auto distance = mean_distance(replays.kind, *replays.faulty_reference, replays.target);
    if (share && target.share())
      first->evidence.push_back("the reference replayed with this change is right on " + percent(*share) +
                                "; the target, as recorded, on " + percent(*target.share()));
    if (distance && gap)
      first->evidence.push_back("replayed with this change, the reference's outputs lie " + number(*distance, 3) +
                                " from the target's (" + name(replays.kind) + "); without it, " + number(share_or(gap, 0), 3));
  }
  if (replays.reproduced)
    first->evidence.push_back("the target's own model, fed with the reconstructed input, gives the recorded outputs to " +
                              number(*replays.reproduced, 2) + " (" + name(replays.kind) + ")");
}

std::map<std::uint32_t, std::uint32_t> partners(const trace::Reader& target, const trace::Reader& reference) {
  std::map<std::string, std::uint32_t> by_name;
  std::map<std::uint32_t, bool> by_number;  // True: that frame has a name.
  for (const trace::FrameRecord& record : reference.records()) {
    if (!record.sample.empty()) by_name.emplace(record.sample, record.frame);
    by_number.emplace(record.frame, !record.sample.empty());
  }
  std::map<std::uint32_t, std::uint32_t> found;
  for (const trace::FrameRecord& record : target.records()) {
    if (const auto named = by_name.find(record.sample); !record.sample.empty() && named != by_name.end())
      found.emplace(record.frame, named->second);
    else if (const auto numbered = by_number.find(record.frame);
             numbered != by_number.end() && (record.sample.empty() || !numbered->second))
      found.emplace(record.frame, record.frame);
  }
  return found;
}

std::map<std::uint32_t, int> labels_of(const Case& known) {
  std::map<std::uint32_t, int> labels;
  const auto take = [&](const trace::Reader& reader) {
    for (const trace::FrameRecord& record : reader.records())
      if (record.label) labels.emplace(record.frame, *record.label);
  };
  take(*known.target);
  if (known.raw)
    for (std::size_t i = 0; i < known.raw->samples.size(); ++i)
      if (known.raw->samples[i].label) labels.emplace(known.raw->frames[i], *known.raw->samples[i].label);
  return labels;
}

}  // namespace edgeprobe::diagnose
