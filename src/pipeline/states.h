// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"

namespace edgeprobe::pipeline {

/// An output of one frame that is an input of the next.
struct CarriedState {
  std::string output, input;
  bool operator==(const CarriedState&) const = default;
};
/// Positions of a carried state among a session's outputs and inputs.
struct StatePlace {
  std::size_t output = 0, input = 0;
};

/// Returns the positions of states among a session's outputs and inputs. kUsage for unknown names,
/// for an input that two states feed, and for an output of another type, shape or scale.
Result<std::vector<StatePlace>> state_places(const std::vector<CarriedState>& states,
                                             const engine::Session& session);

}  // namespace edgeprobe::pipeline
