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

/// Analyses the layers on the target's recorded model inputs, so that a fault before the model
/// cannot hide one inside. Nothing if every recorded tensor is equal. `outputs_off`: the outputs
/// are beyond their floor.
Result<std::optional<layers::Analysis>> examine_layers(const Study& study, bool outputs_off,
                                                       const Control& control);

/// True if both sides run one file and each layer of both computes what the host's kernels compute
/// from its own inputs.
bool is_only_rounding(const layers::Analysis& analysis);

/// Extent of the analysis.
LayerFaultSummary summary_of(const Case& known, const layers::Analysis& analysis);

/// Layer figures keyed by the name of the reference's layer.
std::map<std::string, LayerFigures> figures_of(const Case& known, const layers::Analysis& analysis);

}  // namespace edgeprobe::diagnose
