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

/// The model under test, and how its engine is to be opened. Read once, loaded many times.
struct Model {
  std::filesystem::path path;
  model::FileBytes file;
  /// Nothing for formats that only their own engine reads, and `no_graph` says why.
  std::optional<model::Graph> graph;
  std::string no_graph;
  std::optional<engine::FileFormat> closed;  ///< That format.
  std::vector<model::Feed> feeds;            ///< What its inputs of whole numbers may be.
  engine::EngineChoice engine;
  engine::SessionOptions session;
};
/// kUsage, kCorrupt, kNotFound as model::load(); a compiled module or an IR has no graph.
Result<Model> open_model(const std::filesystem::path& path, const engine::EngineChoice& engine,
                         const engine::SessionOptions& session);

/// Every input resized to `batch` in its first dimension. kUsage when that is fixed at something
/// other than 1.
Status set_batch(Model& model, int batch);

/// An engine process of its own with the model loaded.
struct Loaded {
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<engine::Session> session;
};
Result<Loaded> load(const Model& model, const engine::SessionOptions& options);

/// One set of inputs for a session: values 0..1 for floats, any byte for 8-bit integers, wider
/// integers within their `feeds`, 0 without one. The same seed gives the same values on every
/// machine. kUnsupported for other types.
Result<std::vector<Tensor>> random_inputs(const std::vector<TensorSpec>& inputs, std::uint64_t seed,
                                          const std::vector<model::Feed>& feeds = {});

}  // namespace edgeprobe::bench
