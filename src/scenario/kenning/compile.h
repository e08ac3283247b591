// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace edgeprobe::scenario::kenning {

/// One optimizer in a chain.
struct Compiler {
  std::string type, target, out;
  /// Options of the conversion here, by our names: "sparsity", "0.5".
  std::vector<std::pair<std::string, std::string>> options;
};

/// Result of a chain: the model, the conversions by `convert` (--to) with the file that the last
/// one writes, and the rest that Kenning must do.
struct Compiled {
  std::string model, out;
  std::vector<std::string> to;
  std::vector<std::pair<std::string, std::string>> notes;
};
Compiled compile(const std::string& model, const std::vector<Compiler>& chain);

/// True if a file's extension is of a supported format. "build/native.json" means the folder
/// build/native.
bool runs_here(const std::string& path);

std::string report_folder(const std::string& measurements);

}  // namespace edgeprobe::scenario::kenning
