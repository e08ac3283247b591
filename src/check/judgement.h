#pragma once

#include <cstddef>

#include "diagnose/diagnose.h"

namespace edgeprobe::check {

/// How a verdict is reached.
struct Judgement {
  diagnose::Gate gate = diagnose::Gate::kOutputs;  ///< What makes "differs".
  std::size_t max_replay = 500;                    ///< Frames that counterfactual replays use, evenly spread; at least 1.
};

}  // namespace edgeprobe::check
