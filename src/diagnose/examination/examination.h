// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnose/examination/output_order.h"
#include "diagnose/quantised/fitting_codes.h"
#include "diagnose/replay/replays.h"
#include "diagnose/state/findings.h"
#include "layers/analysis.h"

namespace edgeprobe::diagnose {

/// Evidence shared by all detectors, measured once.
struct Examination {
  Study study;
  InputEvidence input;
  double floor = 0;                      ///< compare::output_floor() of the pair.
  std::optional<OutputOrder> exchanged;  ///< Set if outputs are exchanged.
  /// Unset if every recorded tensor is equal, or outputs are certainly exchanged: they would look
  /// like faulty last layers.
  std::optional<layers::Analysis> layers;
  /// Causes that the search and the layer analysis suggest; the replays test them.
  std::vector<Cause> suspected_input, suspected_layers;
  Replays replays;
  std::optional<FittingCodes> codes;  ///< Set for a quantised target whose outputs are off.
  state::Findings states;             ///< Findings about Study::states.

  bool is_exchanged() const {
    return exchanged && exchanged->cause.status == CauseStatus::kConfirmed;
  }
};

/// Fails if a file or an engine fails; kInterrupted if the user stopped it.
Result<Examination> examine(const Case& known, const Control& control);

}  // namespace edgeprobe::diagnose
