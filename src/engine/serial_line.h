// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/target.h"
#include "transport/serial.h"

namespace edgeprobe::engine {

/// The serial line of a target that has a device path.
transport::SerialLine serial_line_of(const TargetUri& target);

}  // namespace edgeprobe::engine
