// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "document/document.h"
#include "scenario/keys.h"

namespace edgeprobe::scenario {

using document::document_from_text;
using document::Mark;
using document::Node;

/// One key with its value as written; of Form::kSwitch "true" or "false".
struct Setting {
  const Key* key = nullptr;
  std::vector<std::string> values;  ///< One, unless the key takes a list.
};

/// A test as a value: what a file says, each key once, in the order of the table.
struct Scenario {
  Kind kind = Kind::kPerformance;
  std::vector<Setting> settings;

  const Setting* find(std::string_view block, std::string_view name) const;
  /// The value, or "" where it is not said.
  std::string value(std::string_view block, std::string_view name) const;
  /// Replaces what was said.
  void set(Setting setting);
};

/// Reads YAML or JSON (docs/reference/scenarios.md). kUsage with line and column for what is no
/// scenario; unknown keys and words with the nearest that is known.
Result<Scenario> scenario_from_text(std::string_view text);
/// The same of a text that was read before.
Result<Scenario> scenario_from_document(const Node& document);

/// kUsage where a key that the kind needs is missing.
Status check_complete(const Scenario& scenario);

/// "BLOCK.KEY=VALUE" or "BLOCK=VALUE" of the command line.
Result<Setting> setting_from_text(const std::string& text, Kind kind);
/// A value of the command line for a key of the table; `flag` is named in errors.
Result<Setting> setting_of(const Key& key, const std::string& value, const std::string& flag,
                           Kind kind);

/// The scenario with its relative paths below `folder`, that of its file. A recipe is a file where
/// one of that name is there, else text; a word such as 'folders', a kind of engine and a command
/// are no paths.
Scenario below(Scenario scenario, const std::filesystem::path& folder);

/// The JSON schema (2020-12) of scenarios, made of the table of keys:
/// docs/reference/scenario.schema.json.
std::string schema();

/// YAML that reads back as the same scenario.
std::string to_yaml(const Scenario& scenario);
/// The same as JSON.
std::string to_json(const Scenario& scenario);

}  // namespace edgeprobe::scenario
