// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bisect/runs.h"

namespace edgeprobe::bisect {

/// Sets Found::repaired and repaired_gap: the device runs what is around the found operators, the
/// host the operators themselves, on what the device made so far. Takes no run where each stretch
/// around them was already seen to be right on the host's tensors.
Status measure_repair(Runs& runs);

}  // namespace edgeprobe::bisect
