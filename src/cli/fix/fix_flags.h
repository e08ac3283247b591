// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace edgeprobe::cli {

/// `--write-fix DIR` of check and diagnose.
struct FixFlags {
  std::string folder;  ///< Empty: nothing is written.
  std::string python;  ///< That has the converter; empty: an environment that edgeprobe makes.
};

}  // namespace edgeprobe::cli
