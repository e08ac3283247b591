// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario.h"

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "engine/plugin.h"

namespace edgeprobe::scenario {
namespace {

using nlohmann::ordered_json;

/// Allowed scalars. A text may be written without quotes: `cpus: 0`.
ordered_json scalar(const Key& key) {
  switch (key.form) {
    case Form::kSwitch: return {{"type", "boolean"}};
    case Form::kWhole: return {{"type", "integer"}, {"minimum", 1}, {"maximum", 4294967295}};
    case Form::kNumber: return {{"type", "number"}, {"minimum", 0}};
    default: break;
  }
  const auto choices = choices_of(key);
  if (key.form == Form::kEngine) {
    std::string pattern;
    for (const std::string& one : choices) pattern += (pattern.empty() ? "" : "|") + one;
    std::string own;
    for (const std::string& one : engine::own_plugins()) own += "|" + one;
    return {
        {"type", "string"},
        {"pattern", "^((" + pattern + ")(:|$)|python:.|.+[.]py:|(" + own.substr(1) + ")([?]|$))"}};
  }
  if (key.form == Form::kCompiler)
    return {{"anyOf",
             {{{"enum", choices}},
              {{"type", "string"},
               {"pattern", "^(python:.|.+[.]py:.|(" + joined(choices, "|") + ")[?].)"}}}}};
  if (!choices.empty()) return {{"enum", choices}};
  return {{"type", {"string", "number"}}, {"pattern", "\\S"}};
}

ordered_json value(const Key& key) {
  ordered_json of = scalar(key);
  if (takes_list(key)) of = {{"anyOf", {of, {{"type", "array"}, {"items", of}, {"minItems", 1}}}}};
  of["description"] = key.help;
  return of;
}

ordered_json block(const std::string& name, Kind kind) {
  ordered_json properties = ordered_json::object();
  const auto keys = keys_of(name);
  for (const Key& key : keys)
    if (belongs_to(key, kind)) {
      if (!*key.name) return value(key);
      properties[key.name] = value(key);
    }
  if (properties.empty()) return nullptr;
  ordered_json map{{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
  ordered_json forms = ordered_json::array();
  if (belongs_to(keys.front(), kind)) forms.push_back(value(keys.front()));
  const auto require = [&](const char* key) { map["required"].push_back(key); };
  for (const Key* const key : required(kind))
    if (key->block == name) require(key->name);
  if (name == "compiler") {
    require("to");
    require("out");
  }
  // The short form has only the first key.
  if (map.contains("required") && map["required"].size() > 1) return map;
  forms.push_back(map);
  return {{"anyOf", forms}};
}

ordered_json variant(Kind kind) {
  ordered_json properties{{"kind", {{"const", name(kind)}}}};
  for (const std::string& name : block_names())
    if (const ordered_json one = block(name, kind); !one.is_null()) properties[name] = one;
  std::vector<std::string> required{"kind"};
  for (const Key* const key : scenario::required(kind))
    if (required.back() != key->block) required.emplace_back(key->block);
  return {{"type", "object"},
          {"additionalProperties", false},
          {"properties", properties},
          {"required", required}};
}

}  // namespace

std::string schema() {
  ordered_json schema{
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", "A scenario of edgeprobe"},
      {"description",
       "One file that describes a test; 'edgeprobe scenario run FILE' runs it, as YAML or JSON. "
       "Each key is the flag of the verb that takes it, with _ for -."},
      {"oneOf", ordered_json::array()}};
  for (const Kind kind : kinds()) schema["oneOf"].push_back(variant(kind));
  return schema.dump(1) + "\n";
}

}  // namespace edgeprobe::scenario
