// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/plan.h"
#include "core/control.h"
#include "core/result.h"
#include "engine/engine.h"
#include "meter/net_energy.h"

namespace edgeprobe::placement {

/// Energy of one inference of a session that is warm, above rest; the inputs take turns. No value,
/// with the reason, where the machine does not tell (meter::net_energy()); the session's errors.
Result<meter::NetEnergy> session_energy(engine::Session& session, const bench::Inputs& inputs,
                                        const meter::EnergyPlan& plan, const Control& control);

}  // namespace edgeprobe::placement
