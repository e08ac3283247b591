// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe stretch regions MODEL`: what of a model could run side by side, told from its file.
struct StretchRegionsArgs {
  std::string model;
  std::string cut;     ///< A folder for the branches as models; "": none are written.
  bool force = false;  ///< Files of that name in it are replaced.
  JsonFlag json;
};

/// kDone, also where nothing runs side by side; the errors of the reader, of regions_of() and, with
/// a folder, of model::cut().
Result<Outcome> run(const StretchRegionsArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
