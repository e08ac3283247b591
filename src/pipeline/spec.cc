#include "pipeline/spec.h"

#include "core/text.h"

namespace edgeprobe::pipeline {

Result<Pipeline> open(const PipelineSpec& spec, const std::atomic<bool>* stop) {
  Pipeline pipeline;
  pipeline.spec = spec;
  auto graph = model::load(spec.model, pipeline.file);
  if (!graph) return std::move(graph.error());
  pipeline.graph = *std::move(graph);
  const std::string label = spec.model.filename().string();
  if (pipeline.graph.inputs.size() != 1)
    return Error{Fault::kUnsupported, "'" + printable(label) + "' has " + std::to_string(pipeline.graph.inputs.size()) +
                                          " inputs; a recipe makes exactly one"};
  if (spec.input_shape) {
    const std::size_t input = static_cast<std::size_t>(pipeline.graph.inputs.front());
    pipeline.spec.session.input_shapes[pipeline.graph.tensors[input].spec.name] = *spec.input_shape;
  }
  auto engine = engine::open_supervised(spec.engine);
  if (!engine) return std::move(engine.error());
  pipeline.engine = *std::move(engine);
  auto session = pipeline.engine->load(pipeline.file, label, pipeline.spec.session);
  if (!session) return std::move(session.error());
  pipeline.session = *std::move(session);
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
