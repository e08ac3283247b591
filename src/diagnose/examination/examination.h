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

/// Evidence that all detectors share, measured once.
struct Examination {
  Study study;
  InputEvidence input;
  double floor = 0;                      ///< compare::output_floor() of the pair.
  std::optional<OutputOrder> exchanged;  ///< Outputs in each other's place.
  /// Nothing when every recorded tensor is equal, or when outputs are certainly exchanged: they
  /// would pass for faulty last layers.
  std::optional<layers::Analysis> layers;
  /// Causes that the search and the layer analysis suggest; the replays are made for them.
  std::vector<Cause> suspected_input, suspected_layers;
  Replays replays;
  std::optional<FittingCodes> codes;  ///< Of a quantised target whose outputs are off.
  state::Findings states;             ///< Of Study::states.

  bool is_exchanged() const {
    return exchanged && exchanged->cause.status == CauseStatus::kConfirmed;
  }
};

/// Fails when a file or an engine does; kInterrupted when the user stopped it.
Result<Examination> examine(const Case& known, const Control& control);

}  // namespace edgeprobe::diagnose
