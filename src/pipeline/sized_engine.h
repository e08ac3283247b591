// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "engine/engine.h"

namespace edgeprobe::pipeline {

/// Inputs by name, with -1 for each dimension that the model leaves open.
using OpenShapes = std::map<std::string, Shape>;

/// Wraps `engine` so that its sessions take inputs of any size that `open` allows: they reload the
/// model with the sizes they are fed, because a runtime fixes sizes when it loads. Returns `engine`
/// itself if nothing is open. `lasting`: the file that outlives the sessions; copies are kept of
/// other models.
std::unique_ptr<engine::Engine> sized_engine(std::unique_ptr<engine::Engine> engine,
                                             OpenShapes open, ByteView lasting);

/// Prepares a session of a sized engine for inputs of these sizes; does nothing for other sessions.
Status size_for(engine::Session& session, const std::vector<TensorView>& inputs);

/// Returns `open` with each -1 replaced by the dimension of `given`, if the other dimensions agree;
/// `open` unchanged if they do not.
TensorSpec sized(const TensorSpec& open, const Shape& given);

}  // namespace edgeprobe::pipeline
