// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "model/graph.h"
#include "placement/search/found.h"
#include "placement/search/pieces.h"
#include "stretch/flow.h"
#include "stretch/regions.h"

namespace edgeprobe::placement {

/// A model, the processors that may run it in parallel, the fastest first, and the times of its
/// pieces.
struct Pieced {
  const model::Graph& graph;
  const stretch::Flow& flow;
  const stretch::Regions& regions;
  const std::vector<stretch::Processor>& processors;
  PieceTimes& pieces;
};

/// Candidate divisions, the fastest first, predicted from the times of their pieces: divisions of
/// the chain of regions, and a list schedule if the model is not a chain. None if only one
/// processor is left. `says` reports pieces that cannot be measured; `tell` is called for each
/// measured piece, with the maximum number still to come. kInterrupted.
Result<std::vector<Candidate>> division_candidates(
    const Pieced& model, const std::function<void(const std::string&)>& says,
    const std::function<void(const std::string& what, std::size_t further)>& tell,
    const Control& control);

}  // namespace edgeprobe::placement
