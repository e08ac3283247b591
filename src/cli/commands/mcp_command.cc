// SPDX-License-Identifier: Apache-2.0
#include "cli/options/verb_arguments.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe mcp`: served by the Python package, whose console script handles it
/// before this program.
struct McpArgs {
  std::vector<std::string> allow;
};

Result<Outcome> run(const McpArgs&, Terminal&) {
  return Error{ErrorKind::kUnsupported,
               "'mcp' is served by the Python package: install its wheel and "
               "\"mcp>=2.3,<3\" with pip, and run the 'edgeprobe' that pip put there "
               "(docs/guides/mcp.md)"};
}

Work declare_mcp(Parser& parser) {
  auto args = std::make_shared<McpArgs>();
  parser
      .option("--allow", args->allow,
              "Folder whose files clients may name, also to write (default: the current one)")
      .type("DIR")
      .repeatable();
  return work_of(args);
}

}  // namespace edgeprobe::cli
