// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/control.h"
#include "core/result.h"
#include "engine/engine.h"
#include "model/feeds.h"
#include "model/graph.h"
#include "stretch/plan.h"

namespace edgeprobe::placement {

/// A model and the engine whose outputs count.
struct Reference {
  const model::Graph& graph;
  ByteView file;
  engine::EngineChoice engine;
  engine::SessionOptions options;
  std::vector<model::Feed> feeds;
};

/// The first piece of a plan, in an order in which they can run, whose outputs on its processor
/// differ from the reference's by more than kSameRelative, both given the reference's inputs; as a
/// sentence that names the piece, the processor and, where single layers can be seen there, the
/// first layer that differs. "" when each piece agrees.
Result<std::string> first_wrong_piece(const stretch::Plan& plan, const Reference& reference,
                                      const Control& control);

}  // namespace edgeprobe::placement
