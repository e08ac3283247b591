// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compare/metrics/metrics.h"
#include "diagnose/case/study.h"
#include "diagnose/input/input_evidence.h"

namespace edgeprobe::diagnose {

/// One model input and the reference's input of that name, if it is not a picture.
struct TensorInput {
  enum class State { kEqual, kRounding, kDiffers };
  std::string name, target_name;  ///< Untrusted text.
  State state = State::kEqual;
  std::uint64_t frames = 0;
  compare::Moments moments;
  compare::Distances distances;
};

/// The inputs that both traces have, without carried states, which are results.
std::vector<TensorInput> tensor_inputs(const Study& study);

/// Largest distance by which rounded values of an input may differ and still count as equal.
double tolerance(const Study& study, const TensorInput& input);
/// Names of states that differ from the reference's: later outputs on the same input are not
/// comparable.
std::vector<std::string> differing_states(const Study& study);
/// The model input of that name; null if the trace has none.
const trace::ReadChannel* input_of(const trace::Reader& reader, const std::string& name);

}  // namespace edgeprobe::diagnose
