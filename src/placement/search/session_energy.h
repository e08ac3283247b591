// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/plan.h"
#include "core/control.h"
#include "core/result.h"
#include "engine/engine.h"
#include "meter/net_energy.h"

namespace edgeprobe::placement {

/// Energy above idle for one inference of a warm session, cycling through the inputs. Empty, with
/// the reason, if the machine does not report energy (meter::net_energy()); errors of the session.
Result<meter::NetEnergy> session_energy(engine::Session& session, const bench::Inputs& inputs,
                                        const meter::EnergyPlan& plan, const Control& control);

}  // namespace edgeprobe::placement
