// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"
#include "model/graph.h"

namespace edgeprobe::pipeline {

/// A session of a model that its engine refuses, e.g. for an operator that it does not know: it
/// shows the inputs and outputs that the file states, and every inference fails with `error`. What
/// needs the graph alone, such as a replay of single layers, can go on.
std::unique_ptr<engine::Session> refused_session(const model::Graph& graph, Error error);

}  // namespace edgeprobe::pipeline
