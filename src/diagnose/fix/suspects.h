// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/verdict/verdict.h"

namespace edgeprobe::fix {

/// Layers of the reference, sorted by how much keeping them in floating point may help: first
/// layers that confirmed causes name, then those of other causes, then by cost on the logits
/// (share, error injection), then by cost on their own output.
std::vector<int> suspects(const diagnose::Verdict& verdict);

}  // namespace edgeprobe::fix
