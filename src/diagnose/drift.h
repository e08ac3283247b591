// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compare/agreement.h"
#include "diagnose/verdict.h"

namespace edgeprobe::diagnose {

/// Layer drift, coverage and what the comparison could not do, into the verdict.
void add_drift(const compare::Agreement& agreement, Verdict& verdict);

}  // namespace edgeprobe::diagnose
