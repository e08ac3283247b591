// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "evidence/evidence.h"
#include "layers/replay/fragment.h"

namespace edgeprobe::evidence {

/// An engine's results for a model and its inputs.
struct Answer {
  std::vector<Tensor> outputs;
  std::string refused;  ///< Why there are no results; "" if there are.
};
/// Never fails because of the engine: its refusal is its answer.
Answer answer_of(const layers::Host& engine, const std::string& label, ByteView model,
                 const std::vector<Tensor>& inputs);

/// Distance of an answer from the expected one, in units of the limit for the operator that makes
/// each output; above 1, the fault is present. 10^9 if the numbers of values differ. Error if
/// `model` cannot be read.
Result<double> error_over_limit(ByteView model, const std::vector<Tensor>& expected,
                                const std::vector<Tensor>& outputs);

/// Whether the fault is present on this engine.
struct Replayed {
  bool there = false;
  double error_over_limit = 0;
  std::string refused;  ///< The engine's error instead of an answer.
};
/// kUnsupported if the evidence is a wrong answer but this engine gives none: that neither confirms
/// nor excludes the fault.
Result<Replayed> replay(const layers::Host& engine, const Evidence& evidence);

}  // namespace edgeprobe::evidence
