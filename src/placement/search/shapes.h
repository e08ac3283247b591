// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/control.h"
#include "core/result.h"
#include "core/tensor.h"
#include "engine/engine.h"
#include "model/feeds.h"
#include "model/graph.h"

namespace edgeprobe::placement {

/// True if the file leaves dimensions of this tensor open.
bool is_open(const model::ModelTensor& tensor);

/// Shapes of the open tensors of a model, by name, from one inference in which the open dimensions
/// of inputs are those of `options.input_shapes`, else 1. Tensors that cannot be captured are
/// missing. Errors of the engine.
Result<std::map<std::string, Shape>> open_shapes(const model::Graph& graph, ByteView file,
                                                 engine::Engine& engine,
                                                 const engine::SessionOptions& options,
                                                 const std::vector<model::Feed>& feeds);

}  // namespace edgeprobe::placement
