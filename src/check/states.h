// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "check/reference.h"
#include "pipeline/states.h"

namespace edgeprobe::check {

/// Lets a model of the reference carry the target's states, where it has all their names and no
/// states of its own: another network's states are no use to it.
void share_states(const std::vector<pipeline::CarriedState>& states,
                  pipeline::PipelineSpec& reference);
/// The same for whatever model the reference has. Whether it carries states then.
bool share_states(const std::vector<pipeline::CarriedState>& states, Reference& reference);

}  // namespace edgeprobe::check
