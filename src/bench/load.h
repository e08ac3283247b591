// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"
#include "engine/kinds.h"
#include "model/feeds.h"
#include "model/file_bytes.h"
#include "model/graph.h"

namespace edgeprobe::bench {

/// The model under test, and how to open its engine. Read once, loaded many times.
struct Model {
  std::filesystem::path path;
  model::FileBytes file;
  /// Empty for formats that only their own engine reads; `no_graph` states why.
  std::optional<model::Graph> graph;
  std::string no_graph;
  std::string closed;              ///< The format, if only its own engine reads it; else "".
  std::vector<model::Feed> feeds;  ///< Allowed values of its integer inputs.
  engine::EngineChoice engine;
  engine::SessionOptions session;
};
/// Errors kUsage, kCorrupt and kNotFound as model::load(); a compiled module or an IR has no graph.
Result<Model> open_model(const std::filesystem::path& path, const engine::EngineChoice& engine,
                         const engine::SessionOptions& session);

/// Resizes the first dimension of every input to `batch`. kUsage if it is fixed to another size
/// than 1.
Status set_batch(Model& model, int batch);

/// A separate engine process with the model loaded.
struct Loaded {
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<engine::Session> session;
};
Result<Loaded> load(const Model& model, const engine::SessionOptions& options);

/// One set of inputs for a session: values 0..1 for floats, any byte for 8-bit integers, wider
/// integers within their `feeds`, 0 without one. The same seed yields the same values on every
/// machine. kUnsupported for other types.
Result<std::vector<Tensor>> random_inputs(const std::vector<TensorSpec>& inputs, std::uint64_t seed,
                                          const std::vector<model::Feed>& feeds = {});

}  // namespace edgeprobe::bench
