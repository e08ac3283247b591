// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "diagnose/verdict/verdict.h"

namespace edgeprobe::report {

struct TextOptions {
  bool color = false;  ///< ANSI colours: only if the output is a terminal.
  int width = 100;     ///< Columns at which sentences wrap (at least 40); lines of code never do.
  /// When the target was recorded, and how long ago; empty: not shown.
  std::string recorded = {};
};

/// The verdict for display: the cause on the first line, then the figures, the fix, the evidence
/// and all other parts. Sanitizes untrusted names. UTF-8; ends with one newline.
std::string render_text(const diagnose::Verdict& verdict, const TextOptions& options = {});

}  // namespace edgeprobe::report
