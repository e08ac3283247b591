// SPDX-License-Identifier: Apache-2.0
#include "pipeline/plain_pass.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "core/clock.h"
#include "core/text.h"
#include "engine/pipelined.h"
#include "pipeline/carry.h"
#include "pipeline/in_step.h"
#include "pipeline/inputs/picture.h"
#include "pipeline/piece_times.h"
#include "pipeline/prepare.h"
#include "pipeline/recipe_answers.h"
#include "pipeline/remote_times.h"
#include "task/recorded.h"

namespace edgeprobe::pipeline {
namespace {

/// Limit on the states of all frames, kept for further passes (docs/reference/limits.md).
constexpr std::size_t kMostStates = std::size_t{1} << 30;
/// Limit on the model inputs kept for further passes; those beyond are made again.
constexpr std::size_t kMostInputs = std::size_t{64} << 20;

bool further_passes(const RunOptions& options) {
  return options.layer_times || options.level == Level::kLayers ||
         options.level == Level::kEmbedding;
}

/// Writes the model's inputs and outputs: one channel for each, and for each shape it takes. Some
/// models decide the shape of an output at run time, so it is unknown before the first inference.
class EndsWriter {
 public:
  EndsWriter(trace::Writer& writer, const Pipeline& pipeline, bool undeclared)
      : writer_(writer), pipeline_(pipeline), undeclared_(undeclared) {}

  Status write(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs,
               std::uint32_t frame, std::uint64_t time_ns) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      EP_CHECK(write(trace::Stage::kModelInput, i, input_at(i), inputs[i].spec, inputs[i].bytes,
                     frame, time_ns));
    for (std::size_t i = 0; i < outputs.size(); ++i)
      EP_CHECK(write(trace::Stage::kModelOutput, i, tensor_of(i, outputs[i].spec.name),
                     outputs[i].spec, outputs[i].bytes, frame, time_ns));
    return {};
  }

 private:
  int input_at(std::size_t position) const {
    const std::vector<int>& inputs = pipeline_.graph.inputs;
    return position < inputs.size() ? inputs[position] : -1;
  }
  /// Looks up by position, or by name if the engine left out an output that is not a tensor.
  int tensor_of(std::size_t position, const std::string& name) const {
    const model::Graph& graph = pipeline_.graph;
    if (pipeline_.session->outputs().size() == graph.outputs.size()) return graph.outputs[position];
    for (const int output : graph.outputs)
      if (graph.tensors[static_cast<std::size_t>(output)].spec.name == name) return output;
    return -1;
  }

  Status write(trace::Stage stage, std::size_t position, int tensor, const TensorSpec& spec,
               ByteView bytes, std::uint32_t frame, std::uint64_t time_ns) {
    const auto key = std::tuple(stage, position, spec.shape);
    auto known = channels_.find(key);
    if (known == channels_.end()) {
      trace::Channel channel;
      channel.stage = stage;
      channel.spec = spec;
      if (!undeclared_) {
        channel.position = static_cast<std::int32_t>(position);
        channel.tensor = tensor;
      }
      EP_TRY(const auto id, writer_.add_channel(channel));
      known = channels_.emplace(key, id).first;
    }
    return writer_.write(known->second, frame, time_ns, bytes);
  }

  trace::Writer& writer_;
  const Pipeline& pipeline_;
  bool undeclared_;
  std::map<std::tuple<trace::Stage, std::size_t, Shape>, trace::ChannelId> channels_;
};

/// A frame whose inference has not returned yet.
struct Pending {
  std::size_t sample = 0;
  std::shared_ptr<const dataset::RawInput> raw;
  std::string sha256;  ///< Hash of the sample's file.
  Prepared prepared;
  std::uint64_t time = 0;
  bool begins = false;  ///< True if the frame begins a sequence.
};

/// One pass over the samples. Frames begin and finish in order.
class PlainPass {
 public:
  PlainPass(Pipeline& pipeline, const std::vector<dataset::Sample>& samples, trace::Writer& writer,
            const RunOptions& options, std::vector<Ran>& ran, RunSummary& summary,
            const Control& control, const StepOf& step)
      : pipeline_(pipeline),
        samples_(samples),
        writer_(writer),
        options_(options),
        ran_(ran),
        summary_(summary),
        control_(control),
        step_(step),
        ends_(writer, pipeline, options.undeclared),
        stages_(writer, trace::Stage::kIntermediate),
        raw_(options.raw_inputs),
        pieces_(writer),
        carry_(pipeline) {
    if (options.level != Level::kNone && !pipeline.recipe.post.empty())
      answers_.emplace(pipeline.recipe.post, pipeline.input(), writer, summary.warnings);
    // With a state, each frame needs the result of the previous one.
    if (pipeline.states.empty() && !keeps_state(pipeline))
      ahead_ = dynamic_cast<engine::PipelinedSession*>(pipeline.session.get());
  }

  Status run() {
    const std::size_t most = ahead_ ? ahead_->most_in_flight() : 1;
    Status begun;
    for (std::size_t i = 0; begun && i < samples_.size() && !control_.stopped(); ++i) {
      begun = begin(i);
      while (begun && pending_.size() >= most) begun = finish();
    }
    // On a stop, finish the current frame; on an error, finish all that began before it.
    const bool stopped =
        control_.stopped() || (!begun && begun.error().kind == ErrorKind::kInterrupted);
    for (bool one = true; !pending_.empty() && (one || !stopped); one = false) {
      auto finished = finish();
      if (!finished && finished.error().kind == ErrorKind::kInterrupted) break;
      EP_CHECK(std::move(finished));
    }
    if (ahead_) ahead_->abandon();
    if (!begun && !stopped) return begun;
    if (step_.both && !stopped) step_.both->pass_is_over(step_.side);
    const auto told = told_in_the_end(*pipeline_.session, summary_.latency_ns, summary_.warnings);
    return write_way(writer_, pipeline_.spec.engine.address, way_, told);
  }

 private:
  /// Prepares a sample; skips one that cannot be read.
  Status begin(std::size_t i) {
    const dataset::Sample& sample = samples_[i];
    if (step_.both && !step_.both->begin(step_.side, frame_number(options_, i)))
      return interrupted();
    const auto shared = step_.both ? step_.both->sample(frame_number(options_, i)) : nullptr;
    const auto loaded = shared ? shared->loaded : read(sample);
    if (!loaded && loaded.error().kind == ErrorKind::kInterrupted) return Error(loaded.error());
    if (!loaded) {
      summary_.unreadable.push_back({sample.name, loaded.error().what});
      return {};
    }
    auto raw = as_kept(*loaded);
    if (!raw) return about(sample, std::move(raw).error());
    EP_TRY(auto prepared, shared && shared->prepared
                              ? *shared->prepared
                              : prepare(pipeline_, **raw, sample.name, control_));
    const bool is_first = ran_.empty() && pending_.empty();
    const bool begins = is_first || sample.begins_sequence;
    if (begins && !is_first) EP_CHECK(restart(pipeline_));
    carry_.put(prepared.inputs, begins);
    pending_.push_back(
        {i, *std::move(raw), (*loaded)->sha256, std::move(prepared), unix_ns(), begins});
    if (!ahead_) return {};
    auto asked = ahead_->submit(views_of(pending_.back().prepared.inputs));
    if (asked) return {};
    pending_.pop_back();
    return about(sample, std::move(asked).error());
  }

  /// Waits for the result of the oldest frame, then writes the frame and its result.
  Status finish() {
    const Pending frame = std::move(pending_.front());
    pending_.pop_front();
    const dataset::Sample& sample = samples_[frame.sample];
    const std::vector<Tensor>& inputs = frame.prepared.inputs;
    auto inference = ahead_ ? ahead_->collect() : inferred(inputs);
    if (!inference) return about(sample, std::move(inference).error());
    if (auto kept = carry_.keep(inference->outputs); !kept)
      return about(sample, std::move(kept).error());
    const std::uint32_t number = frame_number(options_, frame.sample);
    if (options_.level != Level::kNone) EP_CHECK(write(frame, inference->outputs, number));
    if (options_.level != Level::kNone)
      EP_CHECK(pieces_.write(inference->pieces, number, frame.time));
    trace::FrameRecord record{number,       frame.time,   sample.name,
                              frame.sha256, std::nullopt, inference->latency.count()};
    EP_CHECK(writer_.frame(task::annotated(std::move(record), sample.annotation)));
    summary_.latency_ns.push_back(inference->latency.count());
    if (inference->remote) way_.push_back(*inference->remote);
    ran_.push_back({frame.sample,
                    number,
                    frame.time,
                    fingerprint(inference->outputs),
                    fingerprint(inputs),
                    {},
                    frame.begins});
    if (further_passes(options_)) {
      EP_CHECK(keep_states(inputs));
      keep_inputs(inputs);
    }
    if (control_.progress) control_.progress(frame.sample + 1, samples_.size(), "frames");
    return {};
  }

  Status write(const Pending& frame, const std::vector<Tensor>& outputs, std::uint32_t number) {
    const std::vector<Tensor>& inputs = frame.prepared.inputs;
    const std::uint64_t raw_bytes = raw_.bytes_with(*frame.raw);
    if (raw_bytes > options_.most_bytes)
      return Error{ErrorKind::kLimit,
                   "the raw inputs of " + std::to_string(ran_.size() + 1) + " frames take " +
                       bytes_text(static_cast<double>(raw_bytes)) + ", the limit of a trace is " +
                       bytes_text(static_cast<double>(options_.most_bytes)) +
                       "; use --raw none, --frames N or --max-size BYTES"};
    EP_CHECK(raw_.write(writer_, *frame.raw, number, frame.time));
    EP_CHECK(stages_.write(frame.prepared.stages, number, frame.time));
    EP_CHECK(ends_.write(inputs, outputs, number, frame.time));
    if (!answers_) return {};
    return answers_->write(*frame.raw, inputs, outputs, number, frame.time);
  }

  /// Keeps the states of the last frame for further passes.
  Status keep_states(const std::vector<Tensor>& inputs) {
    for (const StatePlace& place : pipeline_.states) {
      ran_.back().states.push_back(inputs[place.input].bytes);
      carried_ += inputs[place.input].bytes.size();
    }
    if (carried_ <= kMostStates) return {};
    return Error{ErrorKind::kLimit,
                 "the carried states of " + std::to_string(ran_.size()) + " frames take " +
                     bytes_text(static_cast<double>(carried_)) + ", the limit is " +
                     bytes_text(static_cast<double>(kMostStates)) +
                     "; use --level io or --frames N"};
  }

  /// Keeps the inputs of a frame that runs again. A user's function is called again: its layers
  /// belong to the recorded input only if it gives the same one.
  void keep_inputs(const std::vector<Tensor>& inputs) {
    const bool again = options_.layer_times || captures_every_frame(pipeline_, options_) ||
                       std::binary_search(options_.layer_frames->begin(),
                                          options_.layer_frames->end(), ran_.back().frame);
    if (!again || pipeline_.function) return;
    std::size_t bytes = kept_;
    for (const Tensor& input : inputs) bytes += input.bytes.size();
    if (bytes > kMostInputs) return;
    kept_ = bytes;
    ran_.back().inputs = std::make_shared<const std::vector<Tensor>>(inputs);
  }

  using Read = std::shared_ptr<const dataset::Loaded>;

  static Result<Read> read(const dataset::Sample& sample) {
    EP_TRY(auto loaded, sample.load());
    return std::make_shared<const dataset::Loaded>(std::move(loaded));
  }

  /// The raw input as the trace keeps it: as_read(), without a copy of what it does not change.
  Result<std::shared_ptr<const dataset::RawInput>> as_kept(const Read& loaded) const {
    if (!std::holds_alternative<dataset::Arrays>(loaded->input))
      return std::shared_ptr<const dataset::RawInput>(loaded, &loaded->input);
    EP_TRY(auto raw, as_read(pipeline_, loaded->input));
    return std::make_shared<const dataset::RawInput>(std::move(raw));
  }

  Result<engine::Inference> inferred(const std::vector<Tensor>& inputs) {
    const auto turn = step_.turn();
    return pipeline_.session->infer(views_of(inputs));
  }

  static Error about(const dataset::Sample& sample, Error error) {
    return std::move(error).during("'" + sanitized(sample.name) + "'");
  }

  Pipeline& pipeline_;
  const std::vector<dataset::Sample>& samples_;
  trace::Writer& writer_;
  const RunOptions& options_;
  std::vector<Ran>& ran_;
  RunSummary& summary_;
  const Control& control_;
  const StepOf step_;
  EndsWriter ends_;
  StageWriter stages_;
  RawWriter raw_;
  PieceTimesWriter pieces_;
  std::optional<RecipeAnswers> answers_;
  Carry carry_;
  std::size_t carried_ = 0;  ///< Bytes of states kept.
  std::size_t kept_ = 0;     ///< Bytes of inputs kept.
  std::vector<engine::RemoteTimes> way_;
  engine::PipelinedSession* ahead_ = nullptr;
  std::deque<Pending> pending_;
};

}  // namespace

std::uint32_t frame_number(const RunOptions& options, std::size_t sample) {
  return sample < options.frame_numbers.size() ? options.frame_numbers[sample]
                                               : static_cast<std::uint32_t>(sample);
}

Status plain_pass(Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                  trace::Writer& writer, const RunOptions& options, std::vector<Ran>& ran,
                  RunSummary& summary, const Control& control, const StepOf& step) {
  return PlainPass(pipeline, samples, writer, options, ran, summary, control, step).run();
}

}  // namespace edgeprobe::pipeline
