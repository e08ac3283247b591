// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "engine/engine.h"
#include "model/graph.h"
#include "pipeline/function/user_function.h"
#include "pipeline/states.h"
#include "pipeline/tokenizer/tokenizer.h"
#include "preprocess/recipe/recipe.h"
#include "text/encode.h"

namespace edgeprobe::pipeline {

/// Everything that turns a sample into an answer, as the user asked for it.
struct PipelineSpec {
  std::filesystem::path model;
  /// Nothing: the default recipe of the model's input, or none for recorded tensors.
  std::optional<preprocess::Recipe> recipe;
  std::string recipe_input;  ///< The input that the recipe makes; empty: the only one.
  /// The recorded tensors that are the data, as dataset::Sample::arrays; empty: pictures.
  std::vector<TensorSpec> arrays;
  std::vector<CarriedState> states;
  std::optional<FunctionSpec> function;    ///< Makes the model input instead of the recipe.
  std::optional<TokenizerSpec> tokenizer;  ///< Of a recipe of text.
  engine::EngineChoice engine;
  engine::SessionOptions session;
  /// Sizes of inputs by name, before allocation; "" is the model's only one.
  std::map<std::string, Shape> input_shapes;
  /// The inputs that a recording holds: sizes for dimensions that the model leaves open.
  std::vector<TensorSpec> recorded;
};

/// A pipeline whose files were read and whose engine is open.
struct Pipeline {
  PipelineSpec spec;
  model::FileBytes file;  ///< The model file.
  model::Graph graph;
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<engine::Session> session;  ///< Of the model as it is.
  std::string refused;  ///< Why the engine does not load the model: no inference succeeds.
  preprocess::Recipe recipe;
  bool default_recipe = false;  ///< No recipe was given; callers print the one that is used.
  /// When there is one, the recipe (if given) only describes what it does.
  std::unique_ptr<UserFunction> function;

  std::unique_ptr<Tokenizer> tokenizer;  ///< Of a recipe of text.
  std::vector<text::Role> text_roles;    ///< Of the inputs that are no states, for such a recipe.

  /// The session's inputs, with -1 where the model leaves a dimension open and the caller gave no
  /// size: the session takes any there, and loads the model again for it (sized_engine.h).
  std::vector<TensorSpec> open_inputs;
  /// Index of the input that the recipe or the function makes; nothing where recorded tensors are
  /// all inputs.
  std::optional<std::size_t> made_input;
  std::vector<StatePlace> states;

  /// That input, or the first.
  const TensorSpec& input() const { return session->inputs()[made_input.value_or(0)]; }
  const TensorSpec& open_input() const { return open_inputs[made_input.value_or(0)]; }
  /// Whether `recipe` says how this pipeline makes an input: one was given, or the default is used.
  bool has_recipe() const { return spec.recipe.has_value() || default_recipe; }
};

/// Indices of the inputs that need no recorded array: states, and what the recipe makes of a
/// picture beside them.
std::vector<std::size_t> optional_inputs(const Pipeline& pipeline);

/// An error when the engine does not load models of this format, or when `options` hold a setting
/// that it does not have (engine/kinds.h).
Status check_engine(const engine::EngineIdentity& engine, const engine::SessionOptions& options,
                    const std::string& format, const std::string& label);

/// --input-shape. kUsage for a shape without a name where the model has several inputs, for a name
/// that none has, and where the graph is not known; nothing without a shape.
Status resize_inputs(const model::Graph* graph, const std::map<std::string, Shape>& shapes,
                     engine::SessionOptions& options);

/// Sizes for the open dimensions of inputs, as the recorded tensors of `spec`, or a recording, have
/// them.
void size_open_inputs(const PipelineSpec& spec, const model::Graph& graph,
                      engine::SessionOptions& options);

/// A model that the engine does not load fails, or is kept for its layers (Pipeline::refused).
enum class WhenRefused { kFail, kKeepLayers };

/// Reads the model, opens the engine in a supervised child, loads the model, and starts the user's
/// function if there is one. For recorded tensors, open dimensions get the sizes of the data, and
/// what the arrays lack is said before anything runs. kUnsupported when a model that pictures feed
/// does not have exactly one input besides its states: a recipe makes one.
Result<Pipeline> open(const PipelineSpec& spec, const Control& control = {},
                      WhenRefused when_refused = WhenRefused::kFail);

}  // namespace edgeprobe::pipeline
