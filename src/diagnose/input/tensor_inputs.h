// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compare/metrics/metrics.h"
#include "diagnose/case/study.h"
#include "diagnose/input/input_evidence.h"

namespace edgeprobe::diagnose {

/// One model input beside the reference's of its name, where no picture is behind it.
struct TensorInput {
  enum class State { kEqual, kRounding, kDiffers };
  std::string name, target_name;  ///< Untrusted text.
  State state = State::kEqual;
  std::uint64_t frames = 0;
  compare::Moments moments;
  compare::Distances distances;
};

/// Its inputs that both traces have, carried states left out: these are results.
std::vector<TensorInput> tensor_inputs(const Study& study);

/// How far two values of an input may lie apart and be the same, rounded.
double tolerance(const Study& study, const TensorInput& input);
/// The names of states that differ from the reference's: what follows on the same input is no
/// answer to the same question.
std::vector<std::string> differing_states(const Study& study);
/// The model input of that name; null when the trace has none.
const trace::ReadChannel* input_of(const trace::Reader& reader, const std::string& name);

}  // namespace edgeprobe::diagnose
