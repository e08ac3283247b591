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
  model::Graph graph;  ///< Of `file`; its sha256 and file_size are those of the file as it was.
};

/// The types of results that neither the file nor their operators tell, as the engine tells them of
/// a copy with those results as outputs: with them the results of all operators after an unknown
/// one are known. Nothing where the file tells all, and where the engine does not answer.
Result<std::optional<TypedModel>> told_types(const model::Graph& graph, ByteView file,
                                             engine::Engine& engine, const std::string& label,
                                             const engine::SessionOptions& options,
                                             const std::filesystem::path& folder);

}  // namespace edgeprobe::pipeline
