// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace edgeprobe::cli {

/// "edgeprobe run a.tflite --recipe '…'": words as a shell reads them again.
std::string command_line(const std::vector<std::string>& words);

}  // namespace edgeprobe::cli
