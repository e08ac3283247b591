// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"

namespace edgeprobe::pipeline {

/// An output of one frame that is an input of the next one.
struct CarriedState {
  std::string output, input;
  bool operator==(const CarriedState&) const = default;
};
/// Where a carried state stands among the outputs and inputs of a session.
struct StatePlace {
  std::size_t output = 0, input = 0;
};

/// The places of states among the outputs and inputs of a session. kUsage for names that are none,
/// for an input that two states feed, and for an output of another type, shape or scale.
Result<std::vector<StatePlace>> state_places(const std::vector<CarriedState>& states,
                                             const engine::Session& session);

}  // namespace edgeprobe::pipeline
