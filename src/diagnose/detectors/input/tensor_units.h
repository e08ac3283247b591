// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/control.h"
#include "diagnose/case/study.h"
#include "diagnose/input/tensor_inputs.h"
#include "diagnose/tensors/where.h"
#include "diagnose/verdict/words.h"

namespace edgeprobe::diagnose {

/// Inputs that differ and are reported together, with their description.
struct TensorUnit {
  std::set<std::string> names;
  std::string detail;
  CauseKind kind = CauseKind::kPipelineStage;
  std::vector<std::string> alternatives = {};
  /// `detail` names a change that makes the recorded input from the reference's, in every frame.
  bool is_named = false;
  tensors::Where where = {};  ///< Set if the change has no name.
};
Result<std::vector<TensorUnit>> tensor_units(const Study& study,
                                             const std::vector<TensorInput>& inputs,
                                             const Control& control);

}  // namespace edgeprobe::diagnose
