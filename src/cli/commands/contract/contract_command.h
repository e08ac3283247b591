// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/commands/contract/follow.h"
#include "cli/commands/contract/subject_flags.h"
#include "cli/terminal/terminal.h"
#include "contract/contract.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe contract learn TRACE -o contract.json`: what this deployment does, as a promise.
struct ContractLearnArgs {
  SubjectFlags subject;
  std::string out = "contract.json";
  bool force = false;
  JsonFlag json;  ///< What the learned contract says of the trace itself.
};
Result<Outcome> run(const ContractLearnArgs& args, Terminal& terminal);

/// `edgeprobe contract check TRACE --contract FILE`: does it keep the promise?
struct ContractCheckArgs {
  SubjectFlags subject;
  std::string contract = "contract.json";
  JsonFlag json;
  std::string junit;
  /// Plants faults into the model's own pipeline, in place of a check: which of them would it miss?
  bool mutate = false;
  FollowFlags follow;
};
Result<Outcome> run(const ContractCheckArgs& args, Terminal& terminal);

/// The same with --mutate: which faults in this pipeline would the contract miss? kDiffers where it
/// misses one that changes the answers, kUndecided where none was planted. In mutate_command.cc.
Result<Outcome> run_mutate(const ContractCheckArgs& args, const contract::Contract& contract,
                           Terminal& terminal);

/// `edgeprobe contract update TRACE --contract FILE`: takes over what no longer holds, and says
/// each change.
struct ContractUpdateArgs {
  SubjectFlags subject;
  std::string contract = "contract.json";
  JsonFlag json;  ///< Each change, and what the changed contract says of the trace.
};
Result<Outcome> run(const ContractUpdateArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
