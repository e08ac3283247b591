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

/// Finds the first piece of a plan, in an executable order, whose outputs on its processor differ
/// from the reference's by more than kSameRelative, both fed the reference's inputs. Returns a
/// sentence that names the piece, the processor and, if the processor's engine shows single layers,
/// the first layer that differs. "" if all pieces agree.
Result<std::string> first_wrong_piece(const stretch::Plan& plan, const Reference& reference,
                                      const Control& control);

}  // namespace edgeprobe::placement
