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

/// What feeds the model, looked up once for all that ask.
struct ModelInput {
  const kinds::InputKind* kind = &kinds::kind_of(kinds::InputId::kPicture);
  /// The channels of the model input; null where the trace has none.
  const trace::ReadChannel *target = nullptr, *reference = nullptr;
  /// Of the reference's recipe; a recipe that is null where it has none.
  kinds::FrontEnd front_end;
};

/// A case with what is known of it from the two traces alone.
struct Study {
  const Case& known;
  compare::Agreement agreement;
  /// By the target's frame: from the traces and the joined data.
  std::map<std::uint32_t, task::Annotation> annotations;
  std::optional<task::Reading> task;          ///< What the outputs answer, and which of them.
  std::optional<RecordedStates> states = {};  ///< That go in and out of the target's model.
  ModelInput input = {};
};
Result<Study> study(const Case& known, const Control& control);

/// All inputs were recorded on both sides, and are equal bit for bit.
bool has_equal_inputs(const compare::Agreement& agreement);
/// The reference's frame by the target's.
std::map<std::uint32_t, std::uint32_t> partners(const Study& study);

}  // namespace edgeprobe::diagnose
