// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "engine/engine.h"

namespace edgeprobe::pipeline {

/// Inputs by name, with -1 for the dimensions that a model leaves open.
using OpenShapes = std::map<std::string, Shape>;

/// An engine whose sessions take inputs of any size where `open` allows it: they load the model
/// again with the sizes that they are fed, for a runtime settles them when it loads. `engine`
/// itself where nothing is open. `lasting`: the file that outlives the sessions; other models are
/// kept.
std::unique_ptr<engine::Engine> sized_engine(std::unique_ptr<engine::Engine> engine,
                                             OpenShapes open, ByteView lasting);

/// Makes a session of such an engine ready for inputs of these sizes; nothing for other sessions.
Status size_for(engine::Session& session, const std::vector<TensorView>& inputs);

/// `open` with the dimensions of `given` in the place of those that are -1, where the others agree;
/// `open` itself where they do not.
TensorSpec sized(const TensorSpec& open, const Shape& given);

}  // namespace edgeprobe::pipeline
