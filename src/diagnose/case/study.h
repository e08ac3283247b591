// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "compare/outputs/agreement.h"
#include "core/control.h"
#include "diagnose/case/case.h"
#include "diagnose/case/recorded_states.h"
#include "kinds/input_kinds.h"
#include "task/tasks.h"

namespace edgeprobe::diagnose {

/// The kind of data that feeds the model, determined once.
struct ModelInput {
  const kinds::InputKind* kind = &kinds::kind_of(kinds::InputId::kPicture);
  /// Channels of the model input; null if the trace has none.
  const trace::ReadChannel *target = nullptr, *reference = nullptr;
  /// From the reference's recipe; null if it has none.
  kinds::FrontEnd front_end;
};

/// A case, with everything that the two traces show about it.
struct Study {
  const Case& known;
  compare::Agreement agreement;
  /// Keyed by the target's frame; from the traces and the joined data.
  std::map<std::uint32_t, task::Annotation> annotations;
  /// Meaning of the outputs, and which of them are scored.
  std::optional<task::Reading> task;
  /// States that the target's model takes in and returns.
  std::optional<RecordedStates> states = {};
  ModelInput input = {};
};
Result<Study> study(const Case& known, const Control& control);
/// The same from traces that are compared already, without their states.
Study study_of(const Case& known, compare::Agreement agreement);

/// True if both sides recorded all inputs and they are equal bit for bit.
bool has_equal_inputs(const compare::Agreement& agreement);
/// Maps each target frame to its reference frame.
std::map<std::uint32_t, std::uint32_t> partners(const Study& study);

}  // namespace edgeprobe::diagnose
