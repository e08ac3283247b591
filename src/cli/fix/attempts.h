// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/fix/judged.h"
#include "cli/fix/requantizer.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

inline constexpr std::size_t kAllSamples = std::size_t(-1);

/// Candidate models for a fix: makes, checks and reports them, and lists them in the fix.
class Attempts {
 public:
  Attempts(Terminal& terminal, diagnose::WrittenFix& fix) : terminal_(terminal), fix_(fix) {}

  /// Checks this model on at most `most` samples of `on`; returns nothing, with a message, if the
  /// check is impossible. Fails if stopped.
  Result<std::optional<diagnose::Standing>> check(diagnose::TriedFix what, const Judged& on,
                                                  const std::filesystem::path& model,
                                                  const std::string& recipe, std::size_t most);
  /// Quantises the reference again with these layers in float32, in `work`.
  Result<std::filesystem::path> make(const Requantizer& again, const std::vector<int>& layers,
                                     const std::filesystem::path& work);
  void say(const std::string& text) { terminal_.err << "write-fix: " << text << "\n"; }
  bool stopped() const { return terminal_.stopped(); }
  Terminal& terminal() { return terminal_; }

 private:
  Terminal& terminal_;
  diagnose::WrittenFix& fix_;
  int number_ = 0;
};

}  // namespace edgeprobe::cli
