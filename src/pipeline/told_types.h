// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "engine/engine.h"
#include "model/graph.h"

namespace edgeprobe::pipeline {

/// A model with the types of all results that the engine knows.
struct TypedModel {
  Bytes file;
  model::Graph graph;  ///< Graph of `file`; sha256 and file_size remain those of the original file.
};

/// Determines result types that neither the file nor its operators reveal, by asking the engine to
/// load a copy with those results as outputs. This also reveals the types of all operators after an
/// unknown one. Empty if the file is complete, or if the engine does not answer.
Result<std::optional<TypedModel>> told_types(const model::Graph& graph, ByteView file,
                                             engine::Engine& engine, const std::string& label,
                                             const engine::SessionOptions& options,
                                             const std::filesystem::path& folder);

}  // namespace edgeprobe::pipeline
