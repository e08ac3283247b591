// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "diagnose/case.h"
#include "diagnose/verdict/verdict.h"
#include "layers/search/finding.h"

namespace edgeprobe::diagnose {

/// Says of a cause which attributes the target's operators have otherwise, and what to set them to:
/// detail, evidence and code. `finding` has options; `where` names its first layer.
void say_options(const Case& known, const layers::Finding& finding, const std::string& where,
                 Cause& cause);

}  // namespace edgeprobe::diagnose
