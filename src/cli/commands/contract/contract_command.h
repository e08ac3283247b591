// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/commands/contract/subject_flags.h"
#include "cli/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe contract learn TRACE -o contract.json`: what this deployment does, as a promise.
struct ContractLearnArgs {
  SubjectFlags subject;
  std::string out = "contract.json";
  bool force = false;
};
Result<Outcome> run(const ContractLearnArgs& args, Terminal& terminal);

/// `edgeprobe contract check TRACE --contract FILE`: does it keep the promise?
struct ContractCheckArgs {
  SubjectFlags subject;
  std::string contract = "contract.json";
  JsonFlag json;
  std::string junit;
};
Result<Outcome> run(const ContractCheckArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
