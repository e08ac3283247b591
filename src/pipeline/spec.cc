// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spec.h"

#include "core/file.h"
#include "core/index.h"
#include "core/text.h"
#include "engine/kinds.h"

namespace edgeprobe::pipeline {
namespace {

/// Inputs and outputs as the engine tells them, and no layers.
model::Graph closed_graph(const std::string& format, ByteView file,
                          const engine::Session& session) {
  model::Graph graph;
  graph.format = format;
  graph.sha256 = sha256(file);
  graph.file_size = file.size;
  const auto add = [&graph](const std::vector<TensorSpec>& specs, std::vector<int>& ends) {
    for (const TensorSpec& spec : specs) {
      ends.push_back(static_cast<int>(graph.tensors.size()));
      graph.tensors.emplace_back().spec = spec;
    }
  };
  add(session.inputs(), graph.inputs);
  add(session.outputs(), graph.outputs);
  return graph;
}

Error one_input(const std::string& label, std::size_t inputs) {
  return {ErrorKind::kUnsupported,
          "'" + sanitized(label) + "' has " + std::to_string(inputs) +
              " inputs; a recipe makes exactly one. Record the app and the "
              "reference with a probe (docs/guides/probe.md, docs/guides/python.md) and "
              "compare the two traces; bench and matrix run it as it is"};
}

}  // namespace

// An engine for another format would fail with words about broken files.
Status check_engine(const engine::EngineIdentity& engine, const engine::SessionOptions& options,
                    const std::string& format, const std::string& label) {
  const engine::EngineKind* const kind = engine::find_kind(engine.kind);
  if (!kind) return Error{ErrorKind::kTarget, "engine '" + sanitized(engine.kind) + "' is unknown"};
  if (auto fit = engine::check_format(*kind, format, label); !fit) return fit;
  return engine::check_options(*kind, options);
}

Status resize_input(const model::Graph* graph, const std::optional<Shape>& shape,
                    engine::SessionOptions& options) {
  if (!shape) return {};
  if (!graph || graph->inputs.size() != 1)
    return Error{ErrorKind::kUsage,
                 "--input-shape is for models with one input whose shape can be changed"};
  options.input_shapes[graph->tensors[at(graph->inputs.front())].spec.name] = *shape;
  return {};
}

Result<Pipeline> open(const PipelineSpec& spec, const Control& control) {
  Pipeline pipeline;
  pipeline.spec = spec;
  const std::string label = spec.model.filename().string();
  auto file = model::FileBytes::open(spec.model);
  if (!file) return std::move(file.error());
  const auto recognized = engine::closed_format(*file);
  const std::string closed = recognized ? engine::format_of(*recognized).name : "";
  if (closed.empty()) {
    auto graph = model::load(spec.model, pipeline.file);
    if (!graph) return std::move(graph.error());
    pipeline.graph = *std::move(graph);
  } else {
    pipeline.file = *std::move(file);
  }
  auto engine = engine::open_supervised(spec.engine);
  if (!engine) return std::move(engine.error());
  pipeline.engine = *std::move(engine);
  const std::string format = closed.empty() ? pipeline.graph.format : closed;
  if (auto fit = check_engine(pipeline.engine->identity(), spec.session, format, label); !fit)
    return std::move(fit.error());
  std::error_code unresolved;
  pipeline.spec.session.folder = std::filesystem::absolute(spec.model, unresolved).parent_path();
  if (closed.empty() && pipeline.graph.inputs.size() != 1)
    return one_input(label, pipeline.graph.inputs.size());
  if (spec.input_shape && !closed.empty())
    return Error{ErrorKind::kUsage,
                 "--input-shape: the shapes of a compiled model cannot be changed"};
  if (auto done = resize_input(&pipeline.graph, spec.input_shape, pipeline.spec.session); !done)
    return std::move(done.error());
  auto session = pipeline.engine->load(pipeline.file, label, pipeline.spec.session);
  if (!session) return std::move(session.error());
  pipeline.session = *std::move(session);
  if (!closed.empty()) {
    pipeline.graph = closed_graph(closed, pipeline.file, *pipeline.session);
    if (pipeline.graph.inputs.size() != 1) return one_input(label, pipeline.graph.inputs.size());
  }
  if (spec.function) {
    auto function = UserFunction::start(*spec.function, control);
    if (!function) return std::move(function.error());
    pipeline.function = *std::move(function);
  }
  pipeline.default_recipe = !spec.recipe && !spec.function;
  if (spec.recipe) {
    pipeline.recipe = *spec.recipe;
  } else if (!spec.function) {
    auto recipe = preprocess::default_recipe(pipeline.input());
    if (!recipe) return std::move(recipe.error()).during("'" + sanitized(label) + "'");
    pipeline.recipe = *std::move(recipe);
  }
  return pipeline;
}

}  // namespace edgeprobe::pipeline
