// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "diagnose/replay/replays.h"

namespace edgeprobe::diagnose {

/// The causes of an input diagnosis that was found or is partial, without `restored`.
std::vector<Cause> input_causes(const InputEvidence& input);
/// Fills in `restored`, and evidence from the replays.
void add_restored(std::vector<Cause>& causes, const Study& study, const Replays& replays);

/// Judges causes inside the model by replays with their repairs. A note becomes a cause if the
/// outputs are beyond `floor` on the same model input and its repair restores them: the logits hid
/// the fault, or it comes after them. A confirmed cause becomes a note if its repair improves no
/// output. Returns the last index of Replays::repaired_steps that repairs a confirmed cause, or
/// nothing.
std::optional<std::size_t> judge_by_repair(std::vector<Cause>& causes, const Study& study,
                                           const Replays& replays, double floor);

}  // namespace edgeprobe::diagnose
