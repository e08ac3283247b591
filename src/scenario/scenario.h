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

/// One key with its value as written; for Form::kSwitch "true" or "false".
struct Setting {
  const Key* key = nullptr;
  std::vector<std::string> values;  ///< One, unless the key takes a list.
};

/// A test as a value: the content of a file, each key once, in table order.
struct Scenario {
  Kind kind = Kind::kPerformance;
  std::vector<Setting> settings;

  const Setting* find(std::string_view block, std::string_view name) const;
  /// The value, or "" if it is not set.
  std::string value(std::string_view block, std::string_view name) const;
  /// Replaces an earlier value.
  void set(Setting setting);
};

/// Reads YAML or JSON (docs/reference/scenarios.md). kUsage with line and column if it is not a
/// scenario; for unknown keys and words with the nearest known one.
Result<Scenario> scenario_from_text(std::string_view text);
/// Same for a parsed text.
Result<Scenario> scenario_from_document(const Node& document);

/// kUsage if a key required by the kind is missing.
Status check_complete(const Scenario& scenario);

/// Parses "BLOCK.KEY=VALUE" or "BLOCK=VALUE" from the command line.
Result<Setting> setting_from_text(const std::string& text, Kind kind);
/// A command-line value for a key of the table; errors name `flag`.
Result<Setting> setting_of(const Key& key, const std::string& value, const std::string& flag,
                           Kind kind);

/// The scenario with relative paths resolved against `folder`, that of its file. A recipe is a file
/// if one of that name exists, or else text; a word such as 'folders', a kind of engine and a
/// command are not paths.
Scenario below(Scenario scenario, const std::filesystem::path& folder);

/// The JSON schema (2020-12) of scenarios, generated from the table of keys:
/// docs/reference/scenario.schema.json.
std::string schema();

/// YAML that parses to the same scenario.
std::string to_yaml(const Scenario& scenario);
/// Same as JSON.
std::string to_json(const Scenario& scenario);

}  // namespace edgeprobe::scenario
