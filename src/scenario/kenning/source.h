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

/// One object of Kenning: a class and what it was told.
struct Block {
  Role role = Role::kDataset;
  std::string type;  ///< Without its module: "PetDataset".
  std::vector<Parameter> parameters;
  std::string place;  ///< "line 3, column 5: ", of a file.
};

/// What somebody asked Kenning for, from a command line or a file.
struct Source {
  std::vector<std::string> scenarios;  ///< "inference_tester", or verbs: "optimize", "test".
  Role scenario_role = Role::kScenario;
  std::vector<Block> blocks;
  std::vector<Parameter> options;     ///< Of a command line, still to be given to blocks.
  std::vector<std::string> operands;  ///< Neither a class nor an option.
  bool is_seed = false;               ///< Its package is edge_ai_tester, before it became Kenning.
};

/// Words as a POSIX shell splits them: quotes, backslashes, lines that go on. kUsage for a quote
/// that is not closed, and for what a shell would expand or run.
Result<std::vector<std::string>> shell_words(std::string_view line);

/// Of `python -m kenning.scenarios.NAME …`, `kenning VERB …`. kUsage for other programs.
Result<Source> source_from_command(std::string_view line);

/// Of a scenario file of Kenning. kUsage, with line and column, for what is none.
Result<Source> source_from_document(const Node& document);

}  // namespace edgeprobe::scenario::kenning
