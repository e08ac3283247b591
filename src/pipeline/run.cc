// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <tuple>

#include "core/clock.h"
#include "core/file.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "kinds/input_kinds.h"
#include "model/borrowed_output.h"
#include "model/state.h"
#include "pipeline/capture.h"
#include "pipeline/carry.h"
#include "pipeline/inputs/recorded_inputs.h"
#include "pipeline/layer_times.h"
#include "pipeline/plain_pass.h"
#include "pipeline/prepare.h"
#include "pipeline/served.h"
#include "pipeline/sized_engine.h"

namespace edgeprobe::pipeline {
namespace {

/// Ring of the writer of one of two runs at the same time, in bytes.
constexpr std::size_t kSharedRing = std::size_t{4} << 20;

constexpr std::array<const char*, 4> kLevelNames{"none", "io", "embedding", "layers"};

std::map<std::string, std::string> run_metadata(const Pipeline& pipeline,
                                                const RunOptions& options) {
  const RawForm raw = options.level == Level::kNone ? RawForm::kNone : options.raw_inputs;
  std::map<std::string, std::string> values{
      {"tool", "edgeprobe"}, {"level", name(options.level)}, {"raw_inputs", name(raw)}};
  // An app that declares nothing leaves only its tensors.
  if (options.undeclared) return values;
  const engine::EngineIdentity& engine = pipeline.engine->identity();
  values.insert(options.made_by.begin(), options.made_by.end());
  values["dataset"] = options.dataset;
  values["model"] = pipeline.spec.model.filename().string();
  values["model_sha256"] = pipeline.graph.sha256;
  if (pipeline.has_recipe()) values["recipe"] = preprocess::to_text(pipeline.recipe);
  if (pipeline.function) {
    values["pipeline"] = pipeline.function->label();
    values["pipeline_sha256"] = pipeline.function->sha256();
    values["python"] = pipeline.function->environment();
  }
  if (pipeline.tokenizer) {
    values["tokenizer"] = pipeline.tokenizer->label();
    values["tokenizer_sha256"] = pipeline.tokenizer->sha256();
  }
  // Arrays from which a recipe makes an input are raw inputs.
  if (!pipeline.spec.arrays.empty() && !kinds::kind_of(pipeline.recipe).reads_arrays)
    values["inputs"] = kTensors;
  if (pipeline.made_input && pipeline.session->inputs().size() > 1 && !pipeline.tokenizer)
    values["recipe_input"] = pipeline.input().name;
  values["engine"] = engine.kind;
  values["engine_version"] = engine.version;
  values["engine_sha256"] = engine.sha256;
  const std::filesystem::path& library = pipeline.spec.engine.library;
  if (const auto options = library.native().find('?');
      options != std::string::npos && engine::kind_of(engine).plugged)
    values["engine_options"] = library.native().substr(options + 1);
  if (const std::string kernels = engine::kernels_used(engine, pipeline.spec.session);
      !kernels.empty())
    values["kernels"] = kernels;
  values["threads"] = std::to_string(pipeline.spec.session.threads);
  // For example, "untuned" for a TVM module applies to every time in this trace.
  std::string warned = model::state_note(pipeline.graph);
  for (const std::string& warning : pipeline.session->warnings())
    warned += (warned.empty() ? "" : "; ") + warning;
  if (!warned.empty()) values["engine_warnings"] = warned;
  for (const engine::Delegation& delegation : pipeline.session->delegations())
    values["delegate." + delegation.delegate] = std::to_string(delegation.ops_taken) + " of " +
                                                std::to_string(delegation.ops_total) + " ops";
  return values;
}

Status write_memory(engine::Session& session, trace::Writer& writer) {
  const engine::MemoryUse memory = session.memory();
  std::map<std::string, std::string> values;
  const auto add = [&](const char* key, const std::optional<std::uint64_t>& bytes) {
    if (bytes) values[key] = std::to_string(*bytes);
  };
  add("peak_before_load", memory.peak_before_load);
  add("peak_after_load", memory.peak_after_load);
  add("peak", memory.peak);
  add("arena", memory.arena);
  return values.empty() ? Status{} : writer.metadata("edgeprobe.memory", values);
}

/// Writes the numbers of the frames that begin a sequence (after the first), and the pairs of
/// carried states.
void describe_states(const Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                     const RunOptions& options, std::map<std::string, std::string>& values) {
  std::string states, begins;
  for (const CarriedState& state : pipeline.spec.states)
    states += (states.empty() ? "" : ",") + state.output + "=" + state.input;
  if (!states.empty()) values["states"] = states;
  for (std::size_t i = 1; i < samples.size(); ++i)
    if (samples[i].begins_sequence)
      begins += (begins.empty() ? "" : ",") + std::to_string(frame_number(options, i));
  if (!begins.empty()) values["sequence_begins"] = begins;
}

}  // namespace

const char* name(Level level) { return kLevelNames[static_cast<std::size_t>(level)]; }

std::optional<Level> level_from_name(std::string_view text) {
  for (std::size_t i = 0; i < kLevelNames.size(); ++i)
    if (text == kLevelNames[i]) return static_cast<Level>(i);
  return std::nullopt;
}

std::uint64_t expected_bytes(const Pipeline& pipeline, Level level, std::size_t frames,
                             std::optional<std::size_t> with_layers) {
  std::uint64_t each = 300;  // frame record and message headers
  if (level != Level::kNone) {
    for (const TensorSpec& input : pipeline.session->inputs())
      each += input.byte_size().value_or(0);
    for (const TensorSpec& output : pipeline.session->outputs())
      each += output.byte_size().value_or(0);
  }
  std::uint64_t layers = 0;
  for (const int tensor : captured_tensors(pipeline.graph, level)) {
    TensorSpec spec = pipeline.graph.tensors[static_cast<std::size_t>(tensor)].spec;
    for (auto& dim : spec.shape) dim = dim < 0 ? 1 : dim;
    layers += spec.byte_size().value_or(0) + 40;
  }
  return each * frames + layers * std::min(frames, with_layers.value_or(frames));
}

namespace {

/// Checks everything that can be checked before anything is written.
Status check_run(const Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                 const RunOptions& options) {
  if (samples.empty())
    return Error{ErrorKind::kUsage,
                 "there is no sample to run; give pictures or arrays with --data"};
  std::optional<std::size_t> with_layers;
  if (!captures_every_frame(pipeline, options)) with_layers = options.layer_frames->size();
  const std::uint64_t expected =
      expected_bytes(pipeline, options.level, samples.size(), with_layers);
  if (expected <= options.most_bytes) return {};
  return Error{ErrorKind::kLimit,
               "the trace would take " + bytes_text(static_cast<double>(expected)) + " (" +
                   std::to_string(samples.size()) + " frames at level " + name(options.level) +
                   "), the limit is " + bytes_text(static_cast<double>(options.most_bytes)) +
                   "; use --frames N or --max-size BYTES"};
}

/// Where the model leaves sizes open, takes those of the first sample or of its recipe's result,
/// before anything is recorded or loaded again for its layers. A failure here recurs in the first
/// pass, which reports it.
Status settle_sizes(Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                    const Control& control) {
  auto& sizes = pipeline.spec.session.input_shapes;
  const bool open = std::any_of(pipeline.open_inputs.begin(), pipeline.open_inputs.end(),
                                [&](const TensorSpec& input) {
                                  return !element_count(input.shape) && !sizes.count(input.name);
                                });
  if (!open || samples.empty() || !pipeline.refused.empty()) return {};
  const auto loaded = samples.front().load();
  if (!loaded) return {};
  const auto prepared = prepare(pipeline, loaded->input, samples.front().name, control);
  if (!prepared) return {};
  EP_CHECK(size_for(*pipeline.session, {prepared->inputs.begin(), prepared->inputs.end()}));
  for (std::size_t i = 0; i < prepared->inputs.size(); ++i)
    if (!element_count(pipeline.open_inputs[i].shape))
      sizes[pipeline.open_inputs[i].name] = prepared->inputs[i].spec.shape;
  return {};
}

/// Closes `writer`; `frames` is the number of frames it holds, even after an error.
Result<RunSummary> run_into(trace::Writer& writer, Pipeline& pipeline,
                            const std::vector<dataset::Sample>& samples, const RunOptions& options,
                            const Control& control, const StepOf& step, std::size_t& frames) {
  RunSummary summary;
  summary.warnings = pipeline.session->warnings();
  for (const std::string& note :
       {model::borrowed_output_note(pipeline.graph), model::state_note(pipeline.graph)})
    if (!note.empty()) summary.warnings.insert(summary.warnings.begin(), note);
  auto about = run_metadata(pipeline, options);
  describe_states(pipeline, samples, options, about);
  EP_CHECK(writer.metadata("edgeprobe.run", about));
  if (pipeline.has_run || keeps_state(pipeline)) EP_CHECK(restart(pipeline));
  pipeline.has_run = true;
  std::shared_ptr<void> beside = options.beside ? options.beside(writer) : nullptr;
  std::vector<Ran> ran;
  Status work = plain_pass(pipeline, samples, writer, options, ran, summary, control, step);
  beside.reset();  // Later passes repeat frames, so their times do not belong to the frames.
  if (work) work = capture_passes(pipeline, samples, ran, writer, options, summary, control, step);
  // Memory of the plain session, before a profiled session adds its own.
  if (work && !options.undeclared) work = write_memory(*pipeline.session, writer);
  if (work && options.layer_times)
    work = layer_times_pass(pipeline, samples, ran, writer, summary, control);
  // Even after an error, close() keeps the finished frames.
  auto written = writer.close();
  frames = summary.frames = ran.size();
  if (!work) return std::move(work.error());
  if (!written) return std::move(written.error());
  summary.written = *written;
  summary.interrupted = control.stopped();
  if (ran.empty() && !summary.interrupted)
    return Error{ErrorKind::kCorrupt,
                 "none of the " + std::to_string(samples.size()) +
                     " samples could be read; the first: " +
                     (summary.unreadable.empty() ? "" : summary.unreadable.front().why)};
  return summary;
}

Result<RunSummary> run(Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                       const std::filesystem::path& trace_path, const RunOptions& options,
                       const Control& control, const StepOf& step) {
  EP_CHECK(settle_sizes(pipeline, samples, control));
  EP_CHECK(check_run(pipeline, samples, options));
  trace::WriterOptions written;
  // Two runs at the same time wait for each other anyway, so a slow disk costs them no more.
  if (step.both) written.ring_bytes = kSharedRing;
  EP_TRY(auto writer, trace::Writer::open(trace_path, written, options.replace));
  std::size_t frames = 0;
  auto summary = run_into(writer, pipeline, samples, options, control, step, frames);
  if (frames == 0) {  // A file without frames is not a trace.
    std::error_code ignored;
    std::filesystem::remove(trace_path, ignored);
  }
  return summary;
}

}  // namespace

Result<RunSummary> run(Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                       const std::filesystem::path& trace_path, const RunOptions& options,
                       const Control& control) {
  return run(pipeline, samples, trace_path, options, control, StepOf{});
}

Result<RunSummary> run_in_step(
    Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
    const std::filesystem::path& trace_path, const RunOptions& options,
    const std::function<void(std::size_t, std::size_t, const std::string&)>& progress,
    const StepOf& step) {
  return run(pipeline, samples, trace_path, options, {&step.both->ended(step.side), progress},
             step);
}

Result<RunSummary> run(Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                       std::unique_ptr<trace::RecordSink> sink, const RunOptions& options,
                       const Control& control) {
  EP_CHECK(settle_sizes(pipeline, samples, control));
  EP_CHECK(check_run(pipeline, samples, options));
  EP_TRY(auto writer, trace::Writer::open(std::move(sink)));
  std::size_t frames = 0;
  return run_into(writer, pipeline, samples, options, control, {}, frames);
}

}  // namespace edgeprobe::pipeline
