// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe fetch ENGINE`: the pinned library of an engine, from PyPI into the user's cache.
struct FetchArgs {
  std::string engine;
  JsonFlag json;
};

/// kUnsupported for an engine, or a machine, that nothing is pinned for.
Result<Outcome> run(const FetchArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
