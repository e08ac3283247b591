// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "processors/finding.h"
#include "processors/host.h"

namespace edgeprobe::processors {

/// Qualcomm's signal processors; other makers' are not looked for.
struct Dsps {
  std::string soc;                     ///< "SM8550", as the kernel names it; "" not told.
  bool is_qualcomm = false;            ///< By the kernel's word, or by the files of its drivers.
  std::string hexagon;                 ///< "Hexagon 690 (v66)", "Hexagon v73"; "" not known.
  std::vector<DeviceNode> nodes;       ///< /dev/fastrpc-*, /dev/adsprpc-smd.
  std::vector<std::string> libraries;  ///< Each libcdsprpc.so that is there.
  /// Which libraries run models on it.
  enum class Way { kNotKnown, kTfliteHexagon, kQnn } way = Way::kNotKnown;
};

Dsps dsps(const Host& host);
std::vector<Finding> dsp_findings(const Host& host, const Dsps& dsps);

}  // namespace edgeprobe::processors
