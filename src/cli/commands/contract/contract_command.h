// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/commands/contract/follow.h"
#include "cli/commands/contract/subject.h"
#include "cli/options/json_flag.h"
#include "cli/options/ruling_flags.h"
#include "cli/terminal/terminal.h"
#include "contract/contract.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe contract check TRACE --contract FILE`: does it keep the promise?
struct ContractCheckArgs {
  SubjectFlags subject;
  std::string contract = "contract.json";
  JsonFlag json;
  RulingFlags rulings;
  /// Plants faults into the model's own pipeline, in place of a check: which of them would it miss?
  bool mutate = false;
  FollowFlags follow;
};

/// The same with --mutate: which faults in this pipeline would the contract miss? kDiffers where it
/// misses one that changes the answers, kUndecided where none was planted. In mutate_command.cc.
Result<Outcome> run_mutate(const ContractCheckArgs& args, const contract::Contract& contract,
                           Terminal& terminal);

}  // namespace edgeprobe::cli
