// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace edgeprobe::scenario::kenning {

/// One optimizer of a chain.
struct Compiler {
  std::string type, target, out;
};

/// What a chain comes to: the model, what `convert` makes of it, and what is left to Kenning.
struct Compiled {
  std::string model, to, out;
  std::vector<std::pair<std::string, std::string>> notes;
};
Compiled compile(const std::string& model, const std::vector<Compiler>& chain);

/// "build/native.json" is the folder build/native.
/// Whether a file's extension is of a supported format.
bool runs_here(const std::string& path);

std::string report_folder(const std::string& measurements);

}  // namespace edgeprobe::scenario::kenning
