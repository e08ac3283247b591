// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"
#include "model/graph.h"

namespace edgeprobe::pipeline {

/// A session for a model that its engine refuses, e.g. because of an unknown operator. It shows the
/// inputs and outputs that the file declares, and every inference fails with `error`. Work that
/// needs only the graph, such as a replay of single layers, can go on.
std::unique_ptr<engine::Session> refused_session(const model::Graph& graph, Error error);

}  // namespace edgeprobe::pipeline
