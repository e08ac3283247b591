// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/case.h"
#include "diagnose/verdict/verdict.h"
#include "layers/analysis.h"

namespace edgeprobe::diagnose {

/// A finding of the layers' analysis as a cause, without a status: that depends on the others.
Cause finding_cause(const Case& known, const layers::Analysis& analysis,
                    const layers::Finding& finding);

}  // namespace edgeprobe::diagnose
