// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/verdict/verdict.h"

namespace edgeprobe::fix {

/// Layers of the reference in the order in which they are worth keeping in floating point: those
/// that a confirmed cause names, those of other causes, then by what each costs on the logits
/// (share, error injection), then on its own output.
std::vector<int> suspects(const diagnose::Verdict& verdict);

}  // namespace edgeprobe::fix
