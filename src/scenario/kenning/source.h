// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "document/document.h"
#include "scenario/kenning/table.h"

namespace edgeprobe::scenario::kenning {

using document::Mark;
using document::Node;

struct Parameter {
  std::string name;  ///< As in a file ("model_path") or on a command line ("--model-path").
  std::vector<std::string> values;
};

/// One Kenning object: a class and its parameters.
struct Block {
  Role role = Role::kDataset;
  std::string type;  ///< Without its module: "PetDataset".
  std::vector<Parameter> parameters;
  std::string place;   ///< "line 3, column 5: ", for a file.
  std::string module;  ///< "kenning.datasets.pet_dataset"; "" if only the class is named.
};

/// A request to Kenning, from a command line or a file.
struct Source {
  std::vector<std::string> scenarios;  ///< "inference_tester", or verbs: "optimize", "test".
  Role scenario_role = Role::kScenario;
  std::vector<Block> blocks;
  std::vector<Parameter> options;     ///< From a command line, not yet assigned to blocks.
  std::vector<std::string> operands;  ///< Neither classes nor options.
  bool is_seed = false;               ///< Its package is edge_ai_tester, Kenning's predecessor.
};

/// Splits words like a POSIX shell: quotes, backslashes, continued lines. kUsage for an unclosed
/// quote, and for anything that a shell would expand or run.
Result<std::vector<std::string>> shell_words(std::string_view line);

/// For `python -m kenning.scenarios.NAME …`, `kenning VERB …`. kUsage for other programs.
Result<Source> source_from_command(std::string_view line);

/// For a Kenning scenario file. kUsage, with line and column, if it is not one.
Result<Source> source_from_document(const Node& document);

}  // namespace edgeprobe::scenario::kenning
