#include "pipeline/capture.h"

#include <algorithm>
#include <string_view>

#include "core/text.h"
#include "pipeline/prepare.h"

namespace edgeprobe::pipeline {
namespace {

bool is_output(const model::Graph& graph, int tensor) {
  return std::find(graph.outputs.begin(), graph.outputs.end(), tensor) != graph.outputs.end();
}

const model::Layer* producer(const model::Graph& graph, int tensor) {
  for (const model::Layer& layer : graph.layers)
    if (std::find(layer.outputs.begin(), layer.outputs.end(), tensor) != layer.outputs.end()) return &layer;
  return nullptr;
}

Result<std::vector<trace::ChannelId>> add_layer_channels(trace::Writer& writer, const Pipeline& pipeline,
                                                         const std::vector<int>& group,
                                                         const engine::Session& session, bool undeclared) {
  std::vector<trace::ChannelId> ids;
  const std::size_t first = pipeline.graph.outputs.size();
  for (std::size_t i = 0; i < group.size(); ++i) {
    const model::Layer* layer = producer(pipeline.graph, group[i]);
    trace::Channel channel;
    channel.stage = trace::Stage::kLayer;
    // The engine knows the shape that was really used, the file knows the quantisation.
    channel.spec = pipeline.graph.tensors[static_cast<std::size_t>(group[i])].spec;
    channel.spec.shape = session.outputs()[first + i].shape;
    channel.position = layer ? layer->index : -1;
    if (!undeclared) channel.tensor = group[i];
    channel.layer_type = layer ? layer->type : "";
    auto id = writer.add_channel(channel);
    if (!id) return std::move(id.error());
    ids.push_back(*id);
  }
  return ids;
}

}  // namespace

std::uint64_t fingerprint(const std::vector<Tensor>& outputs) {
  std::uint64_t hash = 0;
  for (const Tensor& tensor : outputs)
    hash = hash * 0x9e3779b97f4a7c15u + std::hash<std::string_view>{}(ByteView(tensor.bytes).text());
  return hash;
}

Result<Tensor> input_again(Pipeline& pipeline, const dataset::Sample& sample, const Ran& ran, const std::atomic<bool>* stop) {
  const auto loaded = sample.load();
  if (!loaded) return Error{loaded.error().fault, loaded.error().what + " (it was readable a moment ago)"};
  auto prepared = prepare(pipeline, *loaded, sample.name, stop);
  if (!prepared) return std::move(prepared.error());
  if (fingerprint({prepared->input}) == ran.input) return std::move(prepared->input);
  const std::string name = "'" + printable(sample.name) + "'";
  if (!pipeline.function) return Error{Fault::kCorrupt, name + " became another picture while it was recorded"};
  return Error{Fault::kUsage, "pipeline '" + printable(pipeline.function->label()) + "' is not deterministic: called again on " + name +
                                  " it gave another model input, so its layers would not belong to the recorded input; make it give "
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
    if (last != graph.layers.rend() && !last->inputs.empty() && !is_output(graph, last->inputs.front()) &&
        std::find(all.begin(), all.end(), last->inputs.front()) != all.end())
      tensors.push_back(last->inputs.front());
  }
  return tensors;
}

Status capture_passes(Pipeline& pipeline, const std::vector<dataset::Sample>& samples, const std::vector<Ran>& ran,
                      trace::Writer& writer, const RunOptions& options, RunSummary& summary) {
  const auto tensors = captured_tensors(pipeline.graph, options.level);
  const auto groups = model::capture_groups(pipeline.graph, tensors, options.capture_budget);
  std::vector<char> moved(ran.size(), 0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    auto patched = model::promote(pipeline.graph, pipeline.file, groups[g]);
    if (!patched) return std::move(patched.error()).during("capture of layers");
    const std::string label = pipeline.spec.model.filename().string() + " (layers as outputs)";
    auto session = pipeline.engine->load(*patched, label, pipeline.spec.session);
    if (!session) return std::move(session.error()).during("capture of layers");
    const std::size_t plain = pipeline.graph.outputs.size();
    if ((*session)->outputs().size() != plain + groups[g].size())
      return Error{Fault::kTarget, "capture of layers: the engine shows " + std::to_string((*session)->outputs().size()) +
                                       " outputs of the patched model, expected " + std::to_string(plain + groups[g].size())};
    auto channels = add_layer_channels(writer, pipeline, groups[g], **session, options.undeclared);
    if (!channels) return std::move(channels.error());
    summary.layers += groups[g].size();
    for (std::size_t i = 0; i < ran.size(); ++i) {
      if (options.stop && options.stop->load(std::memory_order_relaxed)) return {};
      const auto input = input_again(pipeline, samples[ran[i].sample], ran[i], options.stop);
      if (!input && input.error().fault == Fault::kInterrupted) return {};
      if (!input) return input.error();
      auto inference = (*session)->infer({*input});
      if (!inference) return std::move(inference.error()).during("'" + printable(samples[ran[i].sample].name) + "', layers");
      for (std::size_t t = 0; t < groups[g].size(); ++t)
        if (auto done = writer.write((*channels)[t], ran[i].frame, ran[i].time_ns, inference->outputs[plain + t].bytes); !done)
          return done;
      inference->outputs.resize(plain);
      if (fingerprint(inference->outputs) != ran[i].outputs) moved[i] = 1;
      if (options.progress)
        options.progress(g * ran.size() + i + 1, groups.size() * ran.size(), "frames with layers");
    }
  }
  summary.moved_outputs = static_cast<std::size_t>(std::count(moved.begin(), moved.end(), 1));
  if (summary.moved_outputs)
    summary.warnings.push_back("capturing layers changed the final outputs of " + std::to_string(summary.moved_outputs) +
                               " of " + std::to_string(ran.size()) + " frames: this engine computes differently when "
                               "intermediates are outputs; try --kernels builtin");
  return {};
}

}  // namespace edgeprobe::pipeline
