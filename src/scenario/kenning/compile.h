// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace edgeprobe::scenario::kenning {

/// One optimizer in a chain.
struct Compiler {
  std::string type, target, out;
};

/// Result of a chain: the model, the conversion by `convert`, and the rest that Kenning must do.
struct Compiled {
  std::string model, to, out;
  std::vector<std::pair<std::string, std::string>> notes;
};
Compiled compile(const std::string& model, const std::vector<Compiler>& chain);

/// True if a file's extension is of a supported format. "build/native.json" means the folder
/// build/native.
bool runs_here(const std::string& path);

std::string report_folder(const std::string& measurements);

}  // namespace edgeprobe::scenario::kenning
