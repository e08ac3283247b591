// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "diagnose/replay/replays.h"

namespace edgeprobe::diagnose {

/// The causes of a found or partial input diagnosis, without `restored`.
std::vector<Cause> input_causes(const InputEvidence& input);
/// Fills restored, and evidence from the replays.
void add_restored(std::vector<Cause>& causes, const Study& study, const Replays& replays);

/// Judges causes inside the model by the replays with their repairs. Notes become causes when the
/// outputs lie beyond `floor` on the same model input and their repair brings them back: what the
/// logits hide, or a fault behind them. Confirmed causes whose repair brings no output nearer
/// become notes. The last of Replays::repaired_steps that repairs a confirmed cause, or nothing.
std::optional<std::size_t> judge_by_repair(std::vector<Cause>& causes, const Study& study,
                                           const Replays& replays, double floor);

}  // namespace edgeprobe::diagnose
