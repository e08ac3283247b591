// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace edgeprobe::cli {

/// A word as a shell reads it again.
std::string shell_word(const std::string& word);

/// "edgeprobe run a.tflite --recipe '…'": words as a shell reads them again.
std::string command_line(const std::vector<std::string>& words);

}  // namespace edgeprobe::cli
