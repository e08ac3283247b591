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

/// Everything that turns a sample into an answer, as requested by the user.
struct PipelineSpec {
  std::filesystem::path model;
  /// Empty: the default recipe of the model's input, or none for recorded tensors.
  std::optional<preprocess::Recipe> recipe;
  std::string recipe_input;  ///< The input that the recipe makes; empty: the only input.
  /// The recorded tensors used as data, as in dataset::Sample::arrays; empty: pictures.
  std::vector<TensorSpec> arrays;
  std::vector<CarriedState> states;
  std::optional<FunctionSpec> function;    ///< Makes the model input instead of the recipe.
  std::optional<TokenizerSpec> tokenizer;  ///< For a text recipe.
  engine::EngineChoice engine;
  engine::SessionOptions session;
  /// Input sizes by name, set before allocation; "" is the model's only input.
  std::map<std::string, Shape> input_shapes;
  /// The inputs in a recording: sizes for dimensions that the model leaves open.
  std::vector<TensorSpec> recorded;
};

/// A pipeline with its files read and its engine open.
struct Pipeline {
  PipelineSpec spec;
  model::FileBytes file;  ///< The model file.
  model::Graph graph;
  /// Only the engine knows the file's layers: `graph` is its description of them.
  bool closed = false;
  bool has_run = false;  ///< A state inside of the session may be left from an earlier run.
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<engine::Session> session;  ///< Session of the unmodified model.
  std::string refused;  ///< Why the engine refuses to load the model: no inference succeeds.
  preprocess::Recipe recipe;
  bool default_recipe = false;  ///< True if no recipe was given; callers print the default that is
                                ///< used.
  /// If set, the recipe (if given) only describes the function.
  std::unique_ptr<UserFunction> function;

  std::unique_ptr<Tokenizer> tokenizer;  ///< For a text recipe.
  /// Roles of the inputs that are not states, for a text recipe.
  std::vector<text::Role> text_roles;

  /// The session's inputs, with -1 where the model leaves a dimension open and the caller gave no
  /// size: the session takes any size there, and reloads the model for it (sized_engine.h).
  std::vector<TensorSpec> open_inputs;
  /// Index of the input that the recipe or the function makes; empty if recorded tensors supply all
  /// inputs.
  std::optional<std::size_t> made_input;
  std::vector<StatePlace> states;

  /// The made input, or the first one.
  const TensorSpec& input() const { return session->inputs()[made_input.value_or(0)]; }
  const TensorSpec& open_input() const { return open_inputs[made_input.value_or(0)]; }
  /// True if `recipe` describes how this pipeline makes an input: one was given, or the default is
  /// used.
  bool has_recipe() const { return spec.recipe.has_value() || default_recipe; }
};

/// Indices of the inputs that need no recorded array: states, and the input that the recipe makes
/// from an accompanying picture.
std::vector<std::size_t> optional_inputs(const Pipeline& pipeline);

/// Error if the engine does not load models of this format, or if `options` contain a setting that
/// it does not have (engine/kinds.h).
Status check_engine(const engine::EngineIdentity& engine, const engine::SessionOptions& options,
                    const std::string& format, const std::string& label);

/// Applies --input-shape. kUsage for a shape without a name if the model has several inputs, for a
/// name that no input has, and if the graph is not known, unless a plug-in runs the model; does
/// nothing without a shape.
Status resize_inputs(const model::Graph* graph, const std::map<std::string, Shape>& shapes,
                     const engine::EngineChoice& engine, engine::SessionOptions& options);

/// Sets open dimensions of inputs to the sizes in the recorded tensors of `spec`, or in a
/// recording.
void size_open_inputs(const PipelineSpec& spec, const model::Graph& graph,
                      engine::SessionOptions& options);

/// If the engine does not load a model: fail, or keep the model for its layers (Pipeline::refused).
enum class WhenRefused { kFail, kKeepLayers };

/// Reads the model, opens the engine in a supervised child, loads the model, and starts the user's
/// function if there is one. For recorded tensors, open dimensions get the sizes of the data, and
/// missing arrays are reported before anything runs. kUnsupported if a model fed by pictures does
/// not have exactly one input besides its states: a recipe makes one.
Result<Pipeline> open(const PipelineSpec& spec, const Control& control = {},
                      WhenRefused when_refused = WhenRefused::kFail);

}  // namespace edgeprobe::pipeline
