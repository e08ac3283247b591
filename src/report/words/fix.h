// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnose/verdict/verdict.h"

namespace edgeprobe::report {

/// "quantised again, 2 layers in float32: accuracy 97.9 % (95.1 to 99.2 %)".
std::string tried_text(const diagnose::TriedFix& tried);

inline constexpr const char* kFixTitle = "Written fix";
/// The written files, what they restore, and what was not done, one sentence each. Printable.
std::vector<std::string> fix_rows(const diagnose::Verdict& verdict);

/// Describes a file of the fix, and the causes that it fixes.
std::string fix_file_text(const diagnose::WrittenFile& file, const diagnose::Verdict& verdict);
/// The README of the folder: each file, its cause and the command that applies it.
std::string fix_readme(const diagnose::Verdict& verdict, const diagnose::WrittenFix& fix);

}  // namespace edgeprobe::report
