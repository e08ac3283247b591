// SPDX-License-Identifier: Apache-2.0
#include "engine/serial_line.h"

namespace edgeprobe::engine {

transport::SerialLine serial_line_of(const TargetUri& target) {
  transport::SerialLine line;
  line.path = target.path;
  // Already validated as an integer.
  if (const std::string baud = value_of(target.parameters, "baud"); !baud.empty())
    line.baud = std::stoi(baud);
  line.flow_control = value_of(target.parameters, "flow") == "rtscts";
  return line;
}

}  // namespace edgeprobe::engine
