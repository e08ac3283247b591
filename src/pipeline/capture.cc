// SPDX-License-Identifier: Apache-2.0
#include "pipeline/capture.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "core/text.h"
#include "engine/kinds.h"
#include "model/capture_list.h"
#include "pipeline/carry.h"
#include "pipeline/in_step.h"
#include "pipeline/prepare.h"

namespace edgeprobe::pipeline {
namespace {

bool is_output(const model::Graph& graph, int tensor) {
  return std::find(graph.outputs.begin(), graph.outputs.end(), tensor) != graph.outputs.end();
}

/// Writes layers: one channel for each layer and each shape it produced, since a model may decide
/// shapes at run time.
class LayerWriter {
 public:
  LayerWriter(trace::Writer& writer, const model::Graph& graph, bool undeclared)
      : writer_(writer), graph_(graph), undeclared_(undeclared) {}

  Status write(int tensor, const Tensor& value, const Ran& ran) {
    const auto key = std::pair(tensor, value.spec.shape);
    auto known = channels_.find(key);
    if (known == channels_.end()) {
      const model::Layer* layer = model::layer_of(graph_, tensor);
      trace::Channel channel;
      channel.stage = trace::Stage::kLayer;
      // The engine knows the actual type and shape, the model file knows the quantisation.
      channel.spec = graph_.tensors[static_cast<std::size_t>(tensor)].spec;
      channel.spec.shape = value.spec.shape;
      if (channel.spec.dtype != value.spec.dtype) {
        channel.spec.dtype = value.spec.dtype;
        channel.spec.quantization = value.spec.quantization;
      }
      channel.position = layer ? layer->index : -1;
      if (!undeclared_) channel.tensor = tensor;
      channel.layer_type = layer ? layer->type : "";
      EP_TRY(const auto id, writer_.add_channel(channel));
      known = channels_.emplace(key, id).first;
    }
    return writer_.write(known->second, ran.frame, ran.time_ns, value.bytes);
  }

 private:
  trace::Writer& writer_;
  const model::Graph& graph_;
  bool undeclared_;
  std::map<std::pair<int, Shape>, trace::ChannelId> channels_;
};

/// Explains why a level that captures layers records fewer than expected; "" if it does not.
std::string nothing_captured(const model::Graph& graph, Level level,
                             const std::vector<int>& tensors) {
  if (level != Level::kLayers && level != Level::kEmbedding) return "";
  if (level == Level::kLayers && graph.layers.empty())
    return "level layers records no layer: the engine shows none of a file in this format";
  std::size_t unknown = 0, results = 0;
  std::string first;
  for (const model::Layer& layer : graph.layers)
    for (const int output : layer.outputs) {
      if (output < 0 || is_output(graph, output)) continue;
      ++results;
      const model::ModelTensor& tensor = graph.tensors[static_cast<std::size_t>(output)];
      if (tensor.spec.dtype == DType::kOther && tensor.stored_type == "unknown" && ++unknown == 1)
        first = sanitized(layer.type, 60);
    }
  if (!tensors.empty() && (level == Level::kEmbedding || unknown * 2 <= results)) return "";
  if (results == 0) return "";  // A model with a single layer has only outputs.
  const std::string recorded = level == Level::kEmbedding
                                   ? "level embedding records no embedding"
                                   : "level layers records " + std::to_string(tensors.size()) +
                                         " of " + std::to_string(results) + " layers";
  if (unknown == 0)
    return level == Level::kEmbedding
               ? recorded + ": no layer with weights has an input that can be captured"
           : tensors.empty() ? recorded + ": none of them can be captured"
                             : "";
  return recorded + ": the types of " + std::to_string(unknown) +
         " are neither in the file nor known from their operators (the first is made by " + first +
         "); onnx.shape_inference may add them to the file";
}

std::string advice(const std::string& engine) {
  using engine::Capability;
  const engine::EngineKind* const kind = engine::find_kind(engine);
  if (kind && kind->can(Capability::kKernelSets)) return "; try --kernels builtin";
  return kind && kind->can(Capability::kOptimizationLevels)
             ? "; try --optimization off"
             : "; its layers say how it computes then";
}

}  // namespace

double farthest(const std::vector<Tensor>& plain, const std::vector<Tensor>& captured) {
  double most = 0;
  for (std::size_t o = 0; o < plain.size(); ++o) {
    const auto a = to_float(TensorView(plain[o])), b = to_float(TensorView(captured[o]));
    if (!a || !b || a->size() != b->size()) return 1;
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < a->size(); ++i) {
      const double x = double((*a)[i]), d = double((*b)[i]) - x;
      difference += d * d;
      size += x * x;
    }
    // Non-finite values, or a change from all zeros, count as the maximum distance.
    const double distance = difference == 0 ? 0 : std::sqrt(difference / size);
    most = std::max(most, std::isfinite(distance) ? distance : 1);
  }
  return most;
}

std::uint64_t fingerprint(const std::vector<Tensor>& outputs) {
  std::uint64_t hash = 0;
  for (const Tensor& tensor : outputs)
    hash =
        hash * 0x9e3779b97f4a7c15u + std::hash<std::string_view>{}(ByteView(tensor.bytes).text());
  return hash;
}

Result<std::vector<Tensor>> inputs_again(Pipeline& pipeline, const dataset::Sample& sample,
                                         const Ran& ran, const Control& control) {
  if (ran.inputs) return *ran.inputs;
  const auto loaded = sample.load();
  if (!loaded)
    return Error{loaded.error().kind, loaded.error().what + " (it was readable a moment ago)"};
  EP_TRY(auto prepared, prepare(pipeline, loaded->input, sample.name, control));
  for (std::size_t i = 0; i < ran.states.size(); ++i)
    prepared.inputs[pipeline.states[i].input].bytes = ran.states[i];
  if (fingerprint(prepared.inputs) == ran.input) return std::move(prepared.inputs);
  const std::string name = "'" + sanitized(sample.name) + "'";
  if (!pipeline.function)
    return Error{ErrorKind::kCorrupt, name + " became another input while it was recorded"};
  return Error{ErrorKind::kUsage,
               "pipeline '" + sanitized(pipeline.function->label()) +
                   "' is not deterministic: called again on " + name +
                   " it gave another model input, so its layers would not belong to the recorded "
                   "input; make it give "
                   "the same for the same picture (fix its seed), or use --level io"};
}

std::vector<int> captured_tensors(const model::Graph& graph, Level level) {
  std::vector<int> tensors;
  if (level == Level::kLayers) {
    for (const int tensor : model::capturable(graph))
      if (!is_output(graph, tensor)) tensors.push_back(tensor);
  } else if (level == Level::kEmbedding) {
    const auto last = std::find_if(graph.layers.rbegin(), graph.layers.rend(),
                                   [](const model::Layer& layer) { return layer.parameters > 0; });
    const auto all = model::capturable(graph);
    const int wanted = last != graph.layers.rend() && !last->inputs.empty()
                           ? model::stored_form(graph, last->inputs.front())
                           : -1;
    if (!is_output(graph, wanted) && std::find(all.begin(), all.end(), wanted) != all.end())
      tensors.push_back(wanted);
  }
  return tensors;
}

bool captures_every_frame(const Pipeline& pipeline, const RunOptions& options) {
  return !options.layer_frames || may_keep_state(pipeline) || !pipeline.states.empty();
}

namespace {

// State shared by the passes over all groups.
struct Passes {
  Pipeline& pipeline;
  const std::vector<dataset::Sample>& samples;
  const std::vector<Ran>& ran;
  trace::Writer& writer;
  const RunOptions& options;
  RunSummary& summary;
  const Control& control;
  const StepOf& step;
  std::vector<std::size_t> which;  // Indices into `ran` of the frames to capture, ascending.
  std::vector<char> moved;         // Frames whose final outputs changed.
  // Frames done in all groups, and frames left in the later groups.
  std::size_t done = 0, left = 0;
};

// Returns the first frame of the sequence that contains `frame`.
std::size_t begin_of_sequence(const std::vector<Ran>& ran, std::size_t frame) {
  while (frame > 0 && !ran[frame].begins_sequence) --frame;
  return frame;
}

// Indices of the frames whose layers are captured.
std::vector<std::size_t> chosen(const Pipeline& pipeline, const std::vector<Ran>& ran,
                                const RunOptions& options) {
  const bool all = captures_every_frame(pipeline, options);
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < ran.size(); ++i)
    if (all || std::binary_search(options.layer_frames->begin(), options.layer_frames->end(),
                                  ran[i].frame))
      which.push_back(i);
  return which;
}

/// A model to load whose layers are outputs.
struct Shown {
  Bytes patched;  ///< A copy of the model; empty if the engine takes `options.capture`.
  std::string label;
  engine::SessionOptions options;
};

Result<Shown> shown_layers(const Pipeline& pipeline, const std::vector<int>& tensors) {
  Shown shown{{}, pipeline.spec.model.filename().string(), pipeline.spec.session};
  if (pipeline.closed) {
    for (const int tensor : tensors)
      shown.options.capture.push_back(model::layer_of(pipeline.graph, tensor)->index);
    return shown;
  }
  auto patched = model::promote(pipeline.graph, pipeline.file, tensors);
  if (!patched) return std::move(patched.error()).during("capture of layers");
  shown.patched = *std::move(patched);
  shown.label += " (layers as outputs)";
  return shown;
}

Result<std::unique_ptr<engine::Session>> load(Pipeline& pipeline, const Shown& shown) {
  const ByteView file = pipeline.closed ? ByteView(pipeline.file) : ByteView(shown.patched);
  return pipeline.engine->load(file, shown.label, shown.options);
}

// Runs one pass with some tensors as outputs. Returns the engine's error if it refuses this model;
// frames captured before it are kept in `group`.
Result<std::optional<Error>> capture_group(Passes& passes, model::CaptureList::Group& group) {
  Pipeline& pipeline = passes.pipeline;
  const std::vector<Ran>& ran = passes.ran;
  EP_TRY(const Shown shown, shown_layers(pipeline, group.tensors));
  auto session = load(pipeline, shown);
  if (!session) return std::optional(std::move(session.error()));
  // Not the graph's count: engines leave out outputs that are not tensors (a sequence, a map).
  const std::size_t plain = pipeline.session->outputs().size();
  if ((*session)->outputs().size() != plain + group.tensors.size())
    return std::optional(Error{ErrorKind::kTarget,
                               "the engine shows " + std::to_string((*session)->outputs().size()) +
                                   " outputs of the patched model, expected " +
                                   std::to_string(plain + group.tensors.size())});
  LayerWriter layers(passes.writer, pipeline.graph, passes.options.undeclared);
  const bool stateful = keeps_state(pipeline);
  // Positions in passes.which; of a model that keeps a state, these are the frames themselves.
  const std::size_t written = group.frames,
                    first = stateful ? begin_of_sequence(ran, written) : written;
  for (std::size_t k = first; k < passes.which.size(); ++k) {
    if (passes.control.stopped()) return std::optional<Error>{};
    const std::size_t i = passes.which[k];
    const std::string name = "'" + sanitized(passes.samples[ran[i].sample].name) + "'";
    // A state inside the session must evolve as it did in the plain pass.
    if (stateful && (k == first || ran[i].begins_sequence)) {
      EP_CHECK(restart(pipeline));
      if (k > first) session = load(pipeline, shown);
      if (!session) return std::optional(std::move(session.error()));
    } else if (may_keep_state(pipeline) && k > first && ran[i].begins_sequence) {
      session = load(pipeline, shown);
      if (!session) return std::optional(std::move(session.error()));
    }
    const auto inputs =
        inputs_again(pipeline, passes.samples[ran[i].sample], ran[i], passes.control);
    if (!inputs && inputs.error().kind == ErrorKind::kInterrupted) return std::optional<Error>{};
    if (!inputs) return inputs.error();
    auto inference = [&] {
      const auto turn = passes.step.turn();
      return (*session)->infer(views_of(*inputs));
    }();
    if (!inference) return std::optional(std::move(inference.error()).during(name));
    if (k >= written) {
      for (std::size_t t = 0; t < group.tensors.size(); ++t)
        EP_CHECK(layers.write(group.tensors[t], inference->outputs[plain + t], ran[i]));
      group.frames = k + 1;
    }
    inference->outputs.resize(plain);
    const bool same = fingerprint(inference->outputs) == ran[i].outputs;
    passes.moved[i] = passes.moved[i] || !same;
    if (!same || stateful) {
      const auto again = pipeline.session->infer(views_of(*inputs));
      if (!again) return Error(again.error()).during(name + ", without layers");
      passes.summary.moved_by =
          std::max(passes.summary.moved_by, farthest(again->outputs, inference->outputs));
    }
    ++passes.done;
    if (passes.control.progress)
      passes.control.progress(passes.done, passes.done + passes.which.size() - k - 1 + passes.left,
                              "frames with layers");
  }
  return std::optional<Error>{};
}

// A device that is gone refuses every model: an error if it does not run the plain one, either.
Status still_runs(Passes& passes) {
  Pipeline& pipeline = passes.pipeline;
  if (pipeline.spec.engine.address.empty() || passes.which.empty()) return {};
  const Ran& ran = passes.ran[passes.which.front()];
  const dataset::Sample& sample = passes.samples[ran.sample];
  EP_TRY(const auto inputs, inputs_again(pipeline, sample, ran, passes.control));
  auto inference = pipeline.session->infer(views_of(inputs));
  if (!inference)
    return std::move(inference.error()).during("'" + sanitized(sample.name) + "', with layers");
  return {};
}

// Adds one warning for all tensors that the engine did not return.
void warn_of(const std::vector<model::NotCaptured>& missing, const model::Graph& graph,
             RunSummary& summary) {
  if (missing.empty()) return;
  constexpr std::size_t kNamed = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamed, missing.size()); ++i) {
    const model::Layer* const layer = model::layer_of(graph, missing[i].tensor);
    names += (i ? ", '" : "'") +
             sanitized(graph.tensors[static_cast<std::size_t>(missing[i].tensor)].spec.name, 60) +
             "'" + (layer ? " (" + sanitized(layer->type, 40) + ")" : "");
  }
  if (missing.size() > kNamed) names += " and " + std::to_string(missing.size() - kNamed) + " more";
  summary.warnings.push_back("the engine fails when " + names +
                             (missing.size() == 1 ? " is an output" : " are outputs") +
                             ": not in the trace, all others are; " + missing.front().reason);
}

}  // namespace

Status capture_passes(Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                      const std::vector<Ran>& ran, trace::Writer& writer, const RunOptions& options,
                      RunSummary& summary, const Control& control, const StepOf& step) {
  const auto tensors = captured_tensors(pipeline.graph, options.level);
  if (const std::string why = nothing_captured(pipeline.graph, options.level, tensors);
      !why.empty())
    summary.warnings.push_back(why);
  model::CaptureList list(model::capture_groups(pipeline.graph, tensors, options.capture_budget));
  Passes passes{pipeline,
                samples,
                ran,
                writer,
                options,
                summary,
                control,
                step,
                chosen(pipeline, ran, options),
                std::vector<char>(ran.size(), 0)};
  while (auto group = list.next()) {
    passes.left = list.left() * passes.which.size();
    EP_TRY(auto refused, capture_group(passes, *group));
    if (control.stopped()) return {};
    if (!refused) summary.layers += group->tensors.size();
    else if (refused->kind == ErrorKind::kInterrupted) return {};
    else {
      EP_CHECK(still_runs(passes));
      list.failed(*std::move(group), *refused);
    }
  }
  if (summary.layers == 0 && !list.not_captured().empty())
    return Error{ErrorKind::kTarget, "capture of layers: " + list.not_captured().front().reason};
  warn_of(list.not_captured(), pipeline.graph, summary);
  const std::vector<char>& moved = passes.moved;
  summary.moved_outputs = static_cast<std::size_t>(std::count(moved.begin(), moved.end(), 1));
  if (summary.moved_by <= kRounding) return {};
  summary.warnings.push_back(
      "capturing layers changed the final outputs of " + std::to_string(summary.moved_outputs) +
      " of " + std::to_string(passes.which.size()) + " frames by up to " +
      number(summary.moved_by, 2) +
      " (relative L2): this engine computes differently when intermediates are outputs" +
      advice(pipeline.engine->identity().kind));
  // The outputs come from the plain model, the layers from a different computation. A replay of the
  // last layer must not treat one as the result of the other.
  return writer.metadata(kCaptureRecord, {{kMovedBy, number(summary.moved_by, 3)}});
}

}  // namespace edgeprobe::pipeline
