// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/overwrite.h"
#include "cli/options/parser.h"
#include "core/result.h"
#include "report/rulings/rulings.h"

namespace edgeprobe::cli {

/// Reports for a build server or a code host; empty: not requested.
struct RulingFlags {
  std::string junit, sarif, markdown, annotations;

  bool wanted() const { return !given().empty(); }
  /// The first flag that was given, or nothing.
  std::string given() const;
};
void add_rulings(Parser& parser, RulingFlags& flags);

/// `others`, followed by the files that the flags name.
std::vector<OutputFile> with_rulings(std::vector<OutputFile> others, const RulingFlags& flags);

/// Writes the files.
Status write_rulings(const RulingFlags& flags, const report::Rulings& rulings);

/// A file as in report::Place: relative to the folder that contains .git, else to the working
/// folder.
std::string placed(const std::string& file);
/// The same for a file or a text; empty for a text.
std::string placed_if_file(const std::string& file_or_text);

}  // namespace edgeprobe::cli
