// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "processors/host.h"

namespace edgeprobe::processors {

/// How much a finding matters.
enum class Severity {
  kProblem,  ///< An existing processor or counter cannot be used.
  kWarning,  ///< A processor works, but measurements on it are worse than they could be.
  kNote,     ///< Worth knowing before a measurement.
};
/// "problem", "warning", "note".
const char* name(Severity severity);

/// A finding, its cause and the remedy.
struct Finding {
  Severity severity = Severity::kNote;
  std::string what;   ///< A machine-readable name: "mixed_clusters".
  std::string cause;  ///< A sentence or two.
  std::string cure;   ///< A sentence that introduces the commands, or states that there is none.
  std::vector<std::string> commands;  ///< To paste into a shell; replace the words in capitals.

  bool operator==(const Finding&) const = default;
};

/// A shell command that needs root, in this host's form: with sudo, with su, or unchanged.
std::string as_root(const Host& host, const std::string& command);

/// A word for a shell: unchanged, or in quotes.
std::string shell_word(const std::string& text);

/// "CPU 3" or "CPUs 4-7".
std::string cpus_text(const std::vector<int>& cpus);

}  // namespace edgeprobe::processors
