// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spec.h"

#include <algorithm>

#include "core/file.h"
#include "core/index.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "kinds/input_kinds.h"
#include "pipeline/inputs/feed.h"
#include "pipeline/refused_session.h"
#include "pipeline/served.h"
#include "pipeline/sized_engine.h"
#include "pipeline/told_types.h"

namespace edgeprobe::pipeline {
namespace {

/// A graph with the inputs and outputs that the engine reports, and no layers.
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
  // Which layer reads which is not known, but all depend on the inputs.
  for (const engine::LayerResult& result : session.layers()) {
    model::Layer& layer = graph.layers.emplace_back();
    layer.index = static_cast<int>(graph.layers.size()) - 1;
    layer.type = result.type;
    layer.name = result.spec.name;
    layer.inputs = graph.inputs;
    const auto is_result = [&](int output) {
      return graph.tensors[at(output)].spec.name == result.spec.name;
    };
    const auto output = std::find_if(graph.outputs.begin(), graph.outputs.end(), is_result);
    layer.outputs = {output == graph.outputs.end() ? static_cast<int>(graph.tensors.size())
                                                   : *output};
    if (output == graph.outputs.end()) graph.tensors.emplace_back().spec = result.spec;
  }
  return graph;
}

Error one_input(const std::string& label, std::size_t inputs) {
  return {ErrorKind::kUnsupported,
          "'" + sanitized(label) + "' has " + std::to_string(inputs) +
              " inputs; a recipe makes exactly one of a picture. Give all of them with --data "
              "FILE.npz, an array for each input by its name (docs/guides/tensors.md); a recipe "
              "may make one of them: --recipe 'NAME: …'"};
}

bool is_state(const PipelineSpec& spec, const std::string& input) {
  return std::any_of(spec.states.begin(), spec.states.end(),
                     [&](const CarriedState& state) { return state.input == input; });
}

/// True if the given recipe makes an input; it may consist only of the half after the model.
bool has_front(const PipelineSpec& spec) {
  return spec.recipe && !(spec.recipe->steps.empty() && !spec.recipe->post.empty());
}

std::size_t free_inputs(const PipelineSpec& spec, const model::Graph& graph) {
  return static_cast<std::size_t>(std::count_if(
      graph.inputs.begin(), graph.inputs.end(),
      [&](int input) { return !is_state(spec, graph.tensors[at(input)].spec.name); }));
}

/// Returns the input that the recipe or the function makes; empty for recorded tensors without
/// either.
Result<std::optional<std::size_t>> made_input(const PipelineSpec& spec,
                                              const std::vector<TensorSpec>& inputs,
                                              const std::string& label) {
  if (!spec.arrays.empty() && !has_front(spec) && !spec.function)
    return std::optional<std::size_t>();
  std::vector<std::size_t> free;
  std::string names;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!spec.recipe_input.empty() && inputs[i].name == spec.recipe_input) return std::optional(i);
    if (!is_state(spec, inputs[i].name)) free.push_back(i);
    names += (i ? ", '" : "'") + sanitized(inputs[i].name, 100) + "'";
  }
  if (!spec.recipe_input.empty())
    return Error{ErrorKind::kUsage, "--recipe '" + sanitized(spec.recipe_input, 100) +
                                        ": …': the model has no such input; its inputs are " +
                                        names};
  if (free.size() == 1) return std::optional(free.front());
  if (spec.arrays.empty()) return one_input(label, inputs.size());
  return Error{ErrorKind::kUsage, "'" + sanitized(label) + "' has " +
                                      std::to_string(inputs.size()) +
                                      " inputs: say which of them the recipe makes (--recipe "
                                      "'NAME: …'); they are " +
                                      names};
}

/// Null if the recipe is not a text recipe.
const text::FrontEnd* text_front_end(const PipelineSpec& spec) {
  return spec.recipe ? preprocess::text_of(*spec.recipe) : nullptr;
}

/// For a text recipe: assigns roles to the inputs and starts the tokenizer.
Status open_text(Pipeline& pipeline, const std::string& label, const Control& control) {
  const PipelineSpec& spec = pipeline.spec;
  const text::FrontEnd* const front_end = text_front_end(spec);
  if (!front_end && spec.tokenizer)
    return Error{ErrorKind::kUsage,
                 "a tokenizer is given, and the recipe has no step tokenize: add it, or leave the "
                 "tokenizer out"};
  if (!front_end) return {};
  if (!spec.tokenizer)
    return Error{ErrorKind::kUsage,
                 "the recipe's step tokenize needs a tokenizer: --tokenizer, for a reference "
                 "--reference-tokenizer, with a tokenizer.json, FILE.py:FUNCTION, or a command "
                 "(docs/guides/text.md)"};
  if (spec.function)
    return Error{ErrorKind::kUsage, "--pipeline makes the input instead of the recipe: give one"};
  std::vector<std::string> names;
  std::optional<std::size_t> ids;
  const std::vector<TensorSpec>& inputs = pipeline.session->inputs();
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (is_state(spec, inputs[i].name)) continue;
    names.push_back(inputs[i].name);
    places.push_back(i);
  }
  auto roles = text::roles_of(names, *front_end);
  if (!roles) return std::move(roles.error()).during("'" + sanitized(label) + "'");
  for (std::size_t i = 0; i < roles->size(); ++i)
    if ((*roles)[i] == text::Role::kIds) ids = places[i];
  pipeline.text_roles = *std::move(roles);
  pipeline.made_input = ids;
  EP_TRY(pipeline.tokenizer, Tokenizer::start(*spec.tokenizer, control));
  return {};
}

/// Sets open dimensions of a text model's inputs to the length to which its recipe pads.
void size_text_inputs(const PipelineSpec& spec, const model::Graph& graph,
                      engine::SessionOptions& options) {
  const text::FrontEnd* const front_end = text_front_end(spec);
  if (!front_end || !front_end->pad) return;
  for (const int input : graph.inputs) {
    const TensorSpec& tensor = graph.tensors[at(input)].spec;
    Shape shape = tensor.shape;
    if (is_state(spec, tensor.name) || element_count(shape) || shape.empty() || shape.size() > 2)
      continue;
    shape.back() = front_end->pad->length;
    if (shape.size() == 2) shape.front() = 1;
    options.input_shapes[tensor.name] = shape;
  }
}

/// Reports what the arrays lack, before a sample is read.
Status check_arrays(const Pipeline& pipeline) {
  const std::vector<TensorSpec>&arrays = pipeline.spec.arrays, &inputs = pipeline.session->inputs();
  if (arrays.empty()) return {};
  EP_TRY(const auto places, arrays_of_inputs(arrays, inputs, optional_inputs(pipeline)));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!places[i] || i == pipeline.made_input) continue;
    const TensorSpec& array = arrays[*places[i]];
    const TensorSpec taken = sized(pipeline.open_inputs[i], array.shape);
    EP_CHECK(check_array(array, element_count(taken.shape) ? taken : inputs[i]));
  }
  return {};
}

}  // namespace

std::vector<std::size_t> optional_inputs(const Pipeline& pipeline) {
  std::vector<std::size_t> optional;
  for (const StatePlace& place : pipeline.states) optional.push_back(place.input);
  if (pipeline.made_input) optional.push_back(*pipeline.made_input);
  return optional;
}

// An engine for another format would fail with a message about broken files.
Status check_engine(const engine::EngineIdentity& engine, const engine::SessionOptions& options,
                    const std::string& format, const std::string& label) {
  const engine::EngineKind& kind = engine::kind_of(engine);
  EP_CHECK(engine::check_format(kind, format, label));
  return engine::check_options(kind, options);
}

Status resize_inputs(const model::Graph* graph, const std::map<std::string, Shape>& shapes,
                     const engine::EngineChoice& engine, engine::SessionOptions& options) {
  if (shapes.empty()) return {};
  const engine::EngineKind* const kind = engine::find_kind(engine.kind);
  if (!graph && kind && kind->plugged) {
    options.input_shapes = shapes;  // It knows the inputs, and refuses what it cannot do.
    return {};
  }
  if (!graph)
    return Error{ErrorKind::kUsage,
                 "--input-shape: the shapes of a compiled model cannot be changed"};
  std::string names;
  for (const int input : graph->inputs)
    names +=
        (names.empty() ? "'" : ", '") + sanitized(graph->tensors[at(input)].spec.name, 100) + "'";
  for (const auto& [name, shape] : shapes) {
    if (name.empty() && graph->inputs.size() != 1)
      return Error{ErrorKind::kUsage, "--input-shape " + to_text(shape) + ": the model has " +
                                          std::to_string(graph->inputs.size()) +
                                          " inputs, so name one: --input-shape NAME=" +
                                          to_text(shape) + "; they are " + names};
    const auto named = [&, &wanted = name](int input) {
      return wanted.empty() || graph->tensors[at(input)].spec.name == wanted;
    };
    const auto found = std::find_if(graph->inputs.begin(), graph->inputs.end(), named);
    if (found == graph->inputs.end())
      return Error{ErrorKind::kUsage, "--input-shape '" + sanitized(name, 100) +
                                          "=…': the model has no such input; its inputs are " +
                                          names};
    options.input_shapes[graph->tensors[at(*found)].spec.name] = shape;
  }
  return {};
}

void size_open_inputs(const PipelineSpec& spec, const model::Graph& graph,
                      engine::SessionOptions& options) {
  // Readings are longer than the windows that a recipe cuts from them.
  const bool cut = spec.recipe && kinds::kind_of(*spec.recipe).reads_arrays;
  const bool is_recorded = !spec.recorded.empty();
  const std::vector<TensorSpec>& sizes = is_recorded ? spec.recorded : spec.arrays;
  if (sizes.empty() || (cut && !is_recorded)) return;
  std::vector<TensorSpec> inputs;
  for (const int input : graph.inputs) inputs.push_back(graph.tensors[at(input)].spec);
  std::vector<std::size_t> all(inputs.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const auto arrays = arrays_of_inputs(sizes, inputs, all);
  if (!arrays) return;  // Reported when they are checked against the session.
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!(*arrays)[i] || (!is_recorded && inputs[i].name == spec.recipe_input)) continue;
    if (options.input_shapes.count(inputs[i].name)) continue;  // The caller's shape takes priority.
    Shape shape = sizes[*(*arrays)[i]].shape;
    const Shape& declared = inputs[i].shape;
    if (shape.size() + 1 == declared.size() && (declared.front() == 1 || declared.front() < 0))
      shape.insert(shape.begin(), 1);
    if (shape.size() != declared.size()) continue;
    bool fits = true, open = false;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      fits = fits && shape[d] > 0 && (declared[d] < 0 || declared[d] == shape[d]);
      open = open || (declared[d] < 0 && shape[d] != 1);
    }
    if (fits && open) options.input_shapes[inputs[i].name] = shape;
  }
}

namespace {

/// Returns, by name, the inputs with dimensions that the model leaves open and the caller did not
/// fix.
OpenShapes open_shapes(const model::Graph& graph, const engine::SessionOptions& options) {
  OpenShapes open;
  for (const int input : graph.inputs) {
    const model::ModelTensor& tensor = graph.tensors[at(input)];
    if (tensor.shape_known && !element_count(tensor.spec.shape) &&
        !options.input_shapes.count(tensor.spec.name))
      open.emplace(tensor.spec.name, tensor.spec.shape);
  }
  return open;
}

std::vector<TensorSpec> open_inputs_of(const engine::Session& session, const OpenShapes& open) {
  std::vector<TensorSpec> inputs = session.inputs();
  for (TensorSpec& input : inputs)
    if (const auto found = open.find(input.name);
        found != open.end() && found->second.size() == input.shape.size())
      input.shape = found->second;
  return inputs;
}

/// `folder`: where external values are stored; empty: nowhere.
Result<Pipeline> open(const PipelineSpec& wanted, model::FileBytes file,
                      const std::filesystem::path& folder, const Control& control,
                      WhenRefused when_refused) {
  Pipeline pipeline;
  PipelineSpec spec = wanted;
  const bool of_text = spec.recipe && kinds::kind_of(*spec.recipe).needs_tokenizer;
  // Tensors recorded with the texts are the target's own results for them.
  if (of_text) spec.arrays.clear();
  pipeline.spec = spec;
  const std::string label = spec.model.filename().string();
  pipeline.file = std::move(file);
  const std::string closed = engine::closed_name(spec.engine, spec.model, pipeline.file);
  pipeline.closed = !closed.empty();
  if (closed.empty()) {
    EP_TRY(pipeline.graph, model::read_model(pipeline.file, spec.model.string(), folder));
  }
  EP_TRY(pipeline.engine, engine::open_supervised(spec.engine));
  const std::string format = closed.empty() ? pipeline.graph.format : closed;
  EP_CHECK(check_engine(pipeline.engine->identity(), spec.session, format, label));
  pipeline.spec.session.folder = folder;
  if (closed.empty() && spec.arrays.empty() && spec.recipe_input.empty() && !of_text &&
      free_inputs(spec, pipeline.graph) != 1)
    return one_input(label, pipeline.graph.inputs.size());
  EP_CHECK(resize_inputs(closed.empty() ? &pipeline.graph : nullptr, spec.input_shapes, spec.engine,
                         pipeline.spec.session));
  if (closed.empty()) {
    EP_TRY(auto typed, told_types(pipeline.graph, pipeline.file, *pipeline.engine, label,
                                  pipeline.spec.session, folder));
    if (typed) {
      pipeline.graph = std::move(typed->graph);
      pipeline.file = model::FileBytes(std::move(typed->file));
    }
  }
  OpenShapes open;
  if (closed.empty() && spec.engine.address.empty()) {
    open = open_shapes(pipeline.graph, pipeline.spec.session);
    pipeline.engine = sized_engine(std::move(pipeline.engine), open, pipeline.file);
  }
  if (closed.empty()) size_open_inputs(spec, pipeline.graph, pipeline.spec.session);
  if (closed.empty()) size_text_inputs(spec, pipeline.graph, pipeline.spec.session);
  auto session = pipeline.engine->load(pipeline.file, label, pipeline.spec.session);
  if (session) {
    pipeline.session = *std::move(session);
  } else {
    if (when_refused == WhenRefused::kFail || !closed.empty() ||
        session.error().kind == ErrorKind::kInterrupted)
      return std::move(session.error());
    pipeline.refused = session.error().what;
    pipeline.session = refused_session(pipeline.graph, std::move(session.error()));
  }
  pipeline.open_inputs = open_inputs_of(*pipeline.session, open);
  if (!closed.empty()) pipeline.graph = closed_graph(closed, pipeline.file, *pipeline.session);
  auto states = state_places(spec.states, *pipeline.session);
  if (!states) return std::move(states.error()).during("'" + sanitized(label) + "'");
  pipeline.states = *std::move(states);
  if (!of_text) {
    EP_TRY(pipeline.made_input, made_input(spec, pipeline.session->inputs(), label));
  }
  EP_CHECK(open_text(pipeline, label, control));
  if (auto good = check_arrays(pipeline); !good)
    return std::move(good.error()).during("'" + sanitized(label) + "'");
  if (spec.function) {
    EP_TRY(pipeline.function, UserFunction::start(*spec.function, control));
  }
  pipeline.default_recipe = !has_front(spec) && pipeline.made_input && !spec.function;
  if (spec.recipe) pipeline.recipe = *spec.recipe;
  if (!has_front(spec)) pipeline.spec.recipe.reset();
  if (pipeline.default_recipe) {
    // One sample at a time, whatever the batch size.
    Shape sample = pipeline.open_input().shape;
    if (sample.size() > 1 && sample.front() < 0) sample.front() = 1;
    if (!element_count(sample) && !pipeline.spec.session.input_shapes.count(pipeline.input().name))
      return Error{ErrorKind::kUsage,
                   "'" + sanitized(label) + "': input " + in_quotes(pipeline.input().name, 100) +
                       " has an open size (" + to_text(pipeline.open_input().shape) +
                       "): give a recipe that makes one, or --input-shape"};
    auto recipe = preprocess::default_recipe(pipeline.input());
    if (!recipe) return std::move(recipe.error()).during("'" + sanitized(label) + "'");
    recipe->post = pipeline.recipe.post;
    pipeline.recipe = *std::move(recipe);
  }
  return pipeline;
}

}  // namespace

Result<Pipeline> open(const PipelineSpec& spec, const Control& control, WhenRefused when_refused) {
  EP_TRY(auto file, model::FileBytes::open(spec.model));
  std::error_code unresolved;
  const std::filesystem::path folder =
      std::filesystem::absolute(spec.model, unresolved).parent_path();
  return open(spec, std::move(file), folder, control, when_refused);
}

Result<Pipeline> open(const PipelineSpec& spec, model::FileBytes file, const Control& control) {
  return open(spec, std::move(file), {}, control, WhenRefused::kFail);
}

}  // namespace edgeprobe::pipeline
