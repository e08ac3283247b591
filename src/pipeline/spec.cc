// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spec.h"

#include <algorithm>

#include "core/file.h"
#include "core/text.h"

namespace edgeprobe::pipeline {
namespace {

bool holds(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The format of a file whose layers only its own engine can see: "openvino-ir", "tvm"; "" for the
/// formats that are read here.
std::string closed_format(ByteView file) {
  const std::string_view text = file.text();
  if (text.substr(0, 4) ==
      "\x7f"
      "ELF")
    return "tvm";
  const auto start = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return start != std::string_view::npos && text.substr(start, 5) == "<?xml" ? "openvino-ir" : "";
}

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
  return {Fault::kUnsupported,
          "'" + printable(label) + "' has " + std::to_string(inputs) +
              " inputs; a recipe makes exactly one. Record the app and the "
              "reference with a probe (docs/guides/probe.md, docs/guides/python.md) and "
              "compare the two traces; bench and matrix run it as it is"};
}

}  // namespace

// An engine for another format would fail with words about broken files.
Status check_engine(const engine::EngineIdentity& engine, const engine::SessionOptions& options,
                    const std::string& format, const std::string& label) {
  if (!engine.formats.empty() && !holds(engine.formats, format)) {
    std::string reads;
    for (const std::string& one : engine.formats) reads += (reads.empty() ? "" : ", ") + one;
    return Error{Fault::kUsage, "'" + printable(label) + "' is a model of format " + format +
                                    ", engine " + engine.kind + " loads " + reads +
                                    "; choose another --engine"};
  }
  if (engine.kind != "onnxruntime" &&
      (options.optimization != engine::Optimization::kAll || !options.spinning))
    return Error{Fault::kUsage, std::string(options.spinning ? "--optimization" : "--no-spinning") +
                                    " is for onnxruntime; engine " + engine.kind +
                                    " has no such setting"};
  if (options.kernels && engine::kernels_used(engine, {}).empty())
    return Error{Fault::kUsage, "engine " + engine.kind + " has one set of kernels; --kernels " +
                                    engine::name(*options.kernels) + " is for litert and tflite"};
  return {};
}

Result<Pipeline> open(const PipelineSpec& spec, const std::atomic<bool>* stop) {
  Pipeline pipeline;
  pipeline.spec = spec;
  const std::string label = spec.model.filename().string();
  auto file = model::FileBytes::open(spec.model);
  if (!file) return std::move(file.error());
  const std::string closed = closed_format(*file);
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
    return Error{Fault::kUsage, "--input-shape: the shapes of a compiled model cannot be changed"};
  if (spec.input_shape) {
    const std::size_t input = static_cast<std::size_t>(pipeline.graph.inputs.front());
    pipeline.spec.session.input_shapes[pipeline.graph.tensors[input].spec.name] = *spec.input_shape;
  }
  auto session = pipeline.engine->load(pipeline.file, label, pipeline.spec.session);
  if (!session) return std::move(session.error());
  pipeline.session = *std::move(session);
  if (!closed.empty()) {
    pipeline.graph = closed_graph(closed, pipeline.file, *pipeline.session);
    if (pipeline.graph.inputs.size() != 1) return one_input(label, pipeline.graph.inputs.size());
  }
  if (spec.function) {
    auto function = UserFunction::start(*spec.function, stop);
    if (!function) return std::move(function.error());
    pipeline.function = *std::move(function);
  }
  pipeline.default_recipe = !spec.recipe && !spec.function;
  if (spec.recipe) {
    pipeline.recipe = *spec.recipe;
  } else if (!spec.function) {
    auto recipe = preprocess::default_recipe(pipeline.input());
    if (!recipe) return std::move(recipe.error()).during("'" + printable(label) + "'");
    pipeline.recipe = *std::move(recipe);
  }
  return pipeline;
}

}  // namespace edgeprobe::pipeline
