// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "engine/litert/api.h"

namespace edgeprobe::engine::litert {

/// One input or output with its position in the signature. The runtime counts by signature,
/// edgeprobe by graph, so that all engines agree.
struct Port {
  const CTensor* tensor = nullptr;  ///< From the graph.
  std::size_t slot = 0;
  RankedType type{};
  TensorSpec spec;
};

std::vector<TensorSpec> specs_of(const std::vector<Port>& ports);

/// The runtime's description of a tensor at a position in the signature; `role` names it in errors.
/// kUnsupported for a type that edgeprobe does not record, and for an unknown rank.
Result<Port> port_of(const Api& api, CTensor* tensor, std::size_t slot, const std::string& role);

}  // namespace edgeprobe::engine::litert
