// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "processors/finding.h"
#include "processors/host.h"

namespace edgeprobe::processors {

/// Qualcomm's signal processors; those of other makers are not detected.
struct Dsps {
  std::string soc;                     ///< "SM8550", the kernel's name; "": unknown.
  bool is_qualcomm = false;            ///< According to the kernel, or to the files of its drivers.
  std::string hexagon;                 ///< "Hexagon 690 (v66)", "Hexagon v73"; "": unknown.
  std::vector<DeviceNode> nodes;       ///< /dev/fastrpc-*, /dev/adsprpc-smd.
  std::vector<std::string> libraries;  ///< Each libcdsprpc.so found.
  /// The libraries that run models on the signal processor.
  enum class Way { kNotKnown, kTfliteHexagon, kQnn } way = Way::kNotKnown;
};

Dsps dsps(const Host& host);
std::vector<Finding> dsp_findings(const Host& host, const Dsps& dsps);

}  // namespace edgeprobe::processors
