// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/target.h"
#include "transport/serial.h"

namespace edgeprobe::engine {

/// The line of a target with the path of a serial device.
transport::SerialLine serial_line_of(const TargetUri& target);

}  // namespace edgeprobe::engine
