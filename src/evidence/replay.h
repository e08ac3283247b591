// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "evidence/evidence.h"
#include "layers/replay/fragment.h"

namespace edgeprobe::evidence {

/// What an engine makes of a model and its inputs.
struct Answer {
  std::vector<Tensor> outputs;
  std::string refused;  ///< Why there are none; "" when there are.
};
/// Never an error of the engine: what it refuses is its answer.
Answer answer_of(const layers::Host& engine, const std::string& label, ByteView model,
                 const std::vector<Tensor>& inputs);

/// How far an answer lies from what is expected, in units of the limit of the operator that makes
/// each output; above 1 the fault is there. 10^9 for another number of values. An error where
/// `model` cannot be read.
Result<double> error_over_limit(ByteView model, const std::vector<Tensor>& expected,
                                const std::vector<Tensor>& outputs);

/// Whether the fault is there on this engine.
struct Replayed {
  bool there = false;
  double error_over_limit = 0;
  std::string refused;  ///< What the engine says instead of an answer.
};
/// kUnsupported when the evidence is a wrong answer and this engine gives none: neither is told.
Result<Replayed> replay(const layers::Host& engine, const Evidence& evidence);

}  // namespace edgeprobe::evidence
