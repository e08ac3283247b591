// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "layers/search/finding.h"

namespace edgeprobe::layers {

/// A layer of the reference whose own quantisation is at fault.
struct ReferenceFault {
  int layer = -1;  ///< Of the reference's graph.
  Figures figures;
  double before = 0, after = 0;  ///< Logit NRMSE from the target, without and with it repaired.
};

/// What the search finds when the two sides change places: the reference's layers are judged by the
/// target's values, and repaired in the reference's own model. Nothing when no other scale of one
/// brings its logits nearer to the target's, or the reference is not quantised. Failures as of
/// search().
Result<std::optional<ReferenceFault>> fault_of_reference(const SearchInput& input,
                                                         const Control& control);

}  // namespace edgeprobe::layers
