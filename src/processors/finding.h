// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "processors/host.h"

namespace edgeprobe::processors {

/// How much a finding matters.
enum class Severity {
  kProblem,  ///< A processor or a counter that is there cannot be used.
  kWarning,  ///< Something runs, but its figures are not what they could be.
  kNote,     ///< Worth knowing before a measurement.
};
/// "problem", "warning", "note".
const char* name(Severity severity);

/// What was found, why it is so and what to do.
struct Finding {
  Severity severity = Severity::kNote;
  std::string what;   ///< A name for programs: "mixed_clusters".
  std::string cause;  ///< A sentence or two.
  std::string cure;   ///< A sentence that leads to the commands, or says that there is none.
  std::vector<std::string> commands;  ///< To be pasted into a shell; capitals are to be replaced.

  bool operator==(const Finding&) const = default;
};

/// A shell command that needs root, as this host gives it: with sudo, su, or as it is.
std::string as_root(const Host& host, const std::string& command);

/// A word for a shell: as it is, or in quotes.
std::string shell_word(const std::string& text);

/// "CPU 3" or "CPUs 4-7".
std::string cpus_text(const std::vector<int>& cpus);

}  // namespace edgeprobe::processors
