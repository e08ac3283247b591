// SPDX-License-Identifier: Apache-2.0
#include "processors/finding.h"

#include "core/cpu_list.h"

namespace edgeprobe::processors {

const char* name(Severity severity) {
  switch (severity) {
    case Severity::kProblem: return "problem";
    case Severity::kWarning: return "warning";
    case Severity::kNote: break;
  }
  return "note";
}

std::string as_root(const Host& host, const std::string& command) {
  if (host.is_root) return command;
  return (host.is_android() ? "su -c " : "sudo sh -c ") + shell_word(command);
}

std::string shell_word(const std::string& text) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-:,=@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string cpus_text(const std::vector<int>& cpus) {
  return (cpus.size() == 1 ? "CPU " : "CPUs ") + cpu_list_text(cpus);
}

}  // namespace edgeprobe::processors
