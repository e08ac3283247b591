// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "engine/engine.h"
#include "model/graph.h"
#include "pipeline/user_function.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::pipeline {

/// Everything that turns a sample into an answer, as the user asked for it.
struct PipelineSpec {
  std::filesystem::path model;
  std::optional<preprocess::Recipe> recipe;  ///< Nothing: the default recipe of the model's input.
  std::optional<FunctionSpec> function;      ///< Makes the model input instead of the recipe.
  engine::EngineChoice engine;
  engine::SessionOptions session;
  std::optional<Shape> input_shape;  ///< Resizes the model's one input before allocation.
};

/// A pipeline whose files were read and whose engine is open.
struct Pipeline {
  PipelineSpec spec;
  model::FileBytes file;  ///< The model file.
  model::Graph graph;
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<engine::Session> session;  ///< Of the model as it is.
  preprocess::Recipe recipe;
  bool default_recipe = false;  ///< No recipe was given; callers print the one that is used.
  /// When there is one, the recipe (if given) only describes what it does.
  std::unique_ptr<UserFunction> function;

  const TensorSpec& input() const { return session->inputs().front(); }
  /// Whether `recipe` says how this pipeline makes its input: one was given, or there is no
  /// function.
  bool has_recipe() const { return !function || spec.recipe.has_value(); }
};

/// An error when the engine does not load models of this format, or when `options` hold a setting
/// that it does not have (engine/kinds.h).
Status check_engine(const engine::EngineIdentity& engine, const engine::SessionOptions& options,
                    const std::string& format, const std::string& label);

/// --input-shape, which holds for the model's only input. kUsage for models with several, and where
/// the graph is not known; nothing without a shape.
Status resize_input(const model::Graph* graph, const std::optional<Shape>& shape,
                    engine::SessionOptions& options);

/// Reads the model, opens the engine in a supervised child, loads the model, and starts the user's
/// function if there is one. kUnsupported when the model does not have exactly one input: a recipe
/// makes one.
Result<Pipeline> open(const PipelineSpec& spec, const Control& control = {});

}  // namespace edgeprobe::pipeline
