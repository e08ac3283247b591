// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/case.h"
#include "diagnose/verdict/verdict.h"
#include "layers/analysis.h"

namespace edgeprobe::diagnose {

/// Causes inside the model as the analysis found them, without `restored`: faulty kernels, then the
/// other findings. `severe`: significantly less accurate with nothing in front of the model to
/// explain it; then a finding is confirmed however small the logit NRMSE on these frames.
/// `outputs_off`: the outputs lie beyond their floor, which a logit NRMSE of real numbers has to
/// be seen in before it passes that of integers. A finding
/// is confirmed only when its repair brought the logits back, at least in part.
std::vector<Cause> model_causes(const Case& known, const layers::Analysis& analysis, bool severe,
                                bool outputs_off);

}  // namespace edgeprobe::diagnose
