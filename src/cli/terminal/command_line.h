// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace edgeprobe::cli {

/// Quotes a word for a shell.
std::string shell_word(const std::string& word);

/// "edgeprobe run a.tflite --recipe '…'": words quoted for a shell.
std::string command_line(const std::vector<std::string>& words);

}  // namespace edgeprobe::cli
