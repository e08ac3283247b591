// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/case/study.h"
#include "diagnose/layer_causes/layer_causes.h"
#include "diagnose/verdict/verdict.h"
#include "layers/analysis.h"

namespace edgeprobe::diagnose {

/// The layer analysis of the case: on the model inputs that the target recorded, so that a fault in
/// front of the model does not hide one inside. Nothing when every recorded tensor is equal.
/// `outputs_off`: the outputs lie beyond their floor.
Result<std::optional<layers::Analysis>> examine_layers(const Study& study, bool outputs_off,
                                                       const Control& control);

/// Both sides run one file, and on both of them every layer computes what the host's kernels do on
/// its own inputs.
bool is_only_rounding(const layers::Analysis& analysis);

/// What the analysis could look at.
LayerFaultSummary summary_of(const Case& known, const layers::Analysis& analysis);

/// Its figures by the name of the reference's layer.
std::map<std::string, LayerFigures> figures_of(const Case& known, const layers::Analysis& analysis);

}  // namespace edgeprobe::diagnose
