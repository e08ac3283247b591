// SPDX-License-Identifier: Apache-2.0
#include "cli/options/parse.h"

#include "cli/verbs.h"

namespace edgeprobe::cli {

Result<Outcome> run_command_line(int argc, char** argv, Terminal& terminal) {
  const Program program{
      "edgeprobe shows what a model really does on the device it was deployed to, and why it "
      "differs.",
      EDGEPROBE_VERSION,
      "\nExit codes: 0 agrees or done, 1 failed, 2 usage, 3 differs, 4 undecided, 130 "
      "interrupted.\n"
      "Example:\n  edgeprobe check --help",
      verbs()};
  return run_program(program, argc, argv, terminal);
}

}  // namespace edgeprobe::cli
