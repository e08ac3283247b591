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

/// Arguments of `edgeprobe contract check TRACE --contract FILE`: does it keep the contract?
struct ContractCheckArgs {
  SubjectFlags subject;
  std::string contract = "contract.json";
  JsonFlag json;
  RulingFlags rulings;
  /// Instead of a check, injects faults into the model's own pipeline: which would the contract
  /// miss?
  bool mutate = false;
  FollowFlags follow;
};

/// The same with --mutate: which faults in this pipeline would the contract miss? kDiffers if it
/// misses one that changes the answers, kUndecided if none was injected. In mutate_command.cc.
Result<Outcome> run_mutate(const ContractCheckArgs& args, const contract::Contract& contract,
                           Terminal& terminal);

}  // namespace edgeprobe::cli
