// SPDX-License-Identifier: Apache-2.0
#include "diagnose/case/rerun.h"

#include <cstring>

#include "core/text.h"
#include "pipeline/inputs/picture.h"
#include "pipeline/same_computation.h"

namespace edgeprobe::diagnose {
namespace {

// Bit for bit: a NaN equals itself.
bool are_equal(const Outputs& a, const Outputs& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].size() != b[i].size() ||
        (!a[i].empty() && std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(float)) != 0))
      return false;
  return true;
}

// True if the frame's only model input in the trace is this one.
Result<bool> holds_input(const trace::Reader& reader, std::uint32_t frame, const Tensor& input) {
  bool found = false;
  for (const trace::ReadChannel& channel : reader.channels()) {
    if (channel.channel.stage != trace::Stage::kModelInput || channel.messages == 0) continue;
    EP_TRY(const auto held, reader.read(frame, channel.id));
    if (!held) continue;
    if (found || held->spec->dtype != input.spec.dtype || held->spec->shape != input.spec.shape ||
        held->bytes.text() != ByteView(input.bytes).text())
      return false;
    found = true;
  }
  return found;
}

}  // namespace

Rerun::Rerun(const Case& known, std::map<std::uint32_t, std::uint32_t> partner,
             const pipeline::Pipeline& model)
    : model_(model), partner_(std::move(partner)) {
  if (known.exhaustive) return;
  const auto add = [&](const trace::Reader* reader, const pipeline::Pipeline* by, bool by_partner) {
    if (reader && by && by->session->inputs().size() == 1 &&
        pipeline::are_same_computation(*by, model))
      recordings_.push_back({reader, by_partner});
  };
  if (known.target_ran_here) add(known.target, known.target_model, false);
  if (known.reference_replayed) add(known.reference, known.reference_pipeline, true);
}

Result<std::optional<Outputs>> Rerun::recorded(std::uint32_t frame, const Tensor& input) const {
  for (const Recording& recording : recordings_) {
    std::uint32_t number = frame;
    if (recording.by_partner) {
      const auto partner = partner_.find(frame);
      if (partner == partner_.end()) continue;
      number = partner->second;
    }
    EP_TRY(const bool is_same, holds_input(*recording.reader, number, input));
    if (!is_same) continue;
    EP_TRY(auto outputs, outputs_of(*recording.reader, number));
    if (!outputs.empty()) return std::optional(std::move(outputs));
  }
  return std::optional<Outputs>();
}

Result<Outputs> Rerun::infer(std::uint32_t frame, const Tensor& input) {
  EP_TRY(auto held, recorded(frame, input));
  if (held && tried_ >= kTried) return *std::move(held);
  EP_TRY(auto inference, model_.session->infer({input}));
  EP_TRY(auto outputs, outputs_of(inference.outputs));
  if (held && are_equal(*held, outputs)) ++tried_;
  else if (held) recordings_.clear();
  return outputs;
}

namespace {

// True if both replays make the same model input of the same raw input.
bool share_input(const Replay& a, const Replay& b) {
  const TensorSpec &of_a = a.rerun->model().open_input(), &of_b = b.rerun->model().open_input();
  return of_a.dtype == of_b.dtype && of_a.shape == of_b.shape &&
         of_a.quantization == of_b.quantization &&
         (a.recipe == b.recipe || preprocess::to_text(*a.recipe) == preprocess::to_text(*b.recipe));
}

// For each replay, the first one whose model input it shares.
std::vector<std::size_t> makers(const std::vector<Replay>& replays) {
  std::vector<std::size_t> made_by;
  for (std::size_t i = 0; i < replays.size(); ++i) {
    std::size_t first = 0;
    while (!share_input(replays[first], replays[i])) ++first;
    made_by.push_back(first);
  }
  return made_by;
}

}  // namespace

Status replay(std::vector<Replay>& replays, const pipeline::TraceSamples& raw,
              const std::vector<std::size_t>& which, const std::string& title,
              const Control& control) {
  for (const Replay& one : replays)
    if (one.rerun->model().session->inputs().size() != 1)
      return Error{ErrorKind::kUnsupported,
                   "a model with several inputs cannot be replayed this way"};
  const std::vector<std::size_t> made_by = makers(replays);
  for (std::size_t done = 0; done < which.size(); ++done) {
    if (control.stopped()) return interrupted();
    const std::size_t at = which[done];
    const auto failed = [&](Error error) {
      return std::move(error).during("replay of '" + sanitized(raw.samples[at].name) + "'");
    };
    EP_TRY(const auto loaded, raw.samples[at].load());
    std::vector<Result<Tensor>> inputs;
    for (std::size_t i = 0; i < replays.size(); ++i) {
      Replay& one = replays[i];
      one.answers.frames.push_back(raw.frames[at]);
      one.answers.outputs.emplace_back();
      inputs.push_back(made_by[i] < i ? inputs[made_by[i]]
                                      : pipeline::model_input(*one.recipe, loaded.input,
                                                              one.rerun->model().open_input()));
      // A crop window in pixels found on one picture may not fit into another; that frame then has
      // no answer.
      if (!inputs[i] && inputs[i].error().kind == ErrorKind::kUsage) continue;
      if (!inputs[i]) return failed(inputs[i].error());
      auto outputs = one.rerun->infer(raw.frames[at], *inputs[i]);
      if (!outputs && outputs.error().kind == ErrorKind::kUsage) continue;
      if (!outputs) return failed(std::move(outputs).error());
      one.answers.outputs.back() = *std::move(outputs);
    }
    if (control.progress) control.progress(done + 1, which.size(), title);
  }
  return {};
}

}  // namespace edgeprobe::diagnose
