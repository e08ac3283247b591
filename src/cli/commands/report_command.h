// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe report FOLDER`: one table, model x configuration, over the traces below a folder.
struct ReportArgs {
  std::string folder;
  /// A trace; empty: the one whose file name begins with "reference", if there is exactly one.
  std::string reference;
  std::string failing;          ///< A file: names of the traces whose devices fail, one a line.
  std::string labels, classes;  ///< As for run; empty: the labels in the traces.
  std::string boxes = "xyxy,pixels";  ///< What the numbers of an app's boxes are.
  std::string sort = "accuracy";
  JsonFlag json;
  std::string html;
};

/// kDone also when some traces were skipped; kNotFound when none could be read.
Result<Outcome> run(const ReportArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
