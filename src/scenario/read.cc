// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/text.h"
#include "engine/plugin.h"
#include "scenario/scenario.h"

namespace edgeprobe::scenario {
namespace {

Error wrong(Mark mark, const std::string& what) {
  return {ErrorKind::kUsage, to_string(mark) + ": " + what};
}

/// "…; did you mean 'labels'?", or the expected words.
std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = closest_match(word, known);
  if (!near.empty()) return "; did you mean '" + near + "'?";
  std::string listed;
  for (const std::string& one : known) listed += (listed.empty() ? "" : ", ") + one;
  return "; expected one of: " + listed;
}

template <class T>
bool is_number_text(const std::string& text, T& value) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc{} && end == text.data() + text.size();
}

/// A number accepted by fault_of(), in a form common to all file formats: 5.0 is 5, 007 is 7.
std::string number_as_written(const std::string& text) {
  double value = 0;
  is_number_text(text, value);
  std::array<char, 32> written{};
  // Removes the sign of a zero.
  const auto end = std::to_chars(written.data(), written.data() + written.size(), value + 0.0);
  return {written.data(), end.ptr};
}

/// The problem with one value, or "".
std::string fault_of(const Key& key, const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return "is empty";
  if (key.form == Form::kWhole) {
    std::uint32_t value = 0;
    if (!is_number_text(text, value) || value == 0)
      return "'" + sanitized(text, 40) + "': expected a whole number from 1 on";
  }
  if (key.form == Form::kNumber) {
    double value = 0;
    if (!is_number_text(text, value) || !std::isfinite(value) || value < 0)
      return "'" + sanitized(text, 40) + "': expected a number from 0 on";
  }
  if (key.form == Form::kSwitch && text != "true" && text != "false")
    return "'" + sanitized(text, 40) + "': expected true or false";
  if (key.form == Form::kEngine && engine::is_plugin_text(text)) return "";
  if (key.form == Form::kEngine && text.starts_with("python:")) return "";
  if (key.form == Form::kCompiler && engine::names_class(text)) return "";
  const auto choices = choices_of(key);
  const char* const end = key.form == Form::kEngine ? ":" : key.form == Form::kCompiler ? "?" : "";
  const std::string word = text.substr(0, text.find_first_of(end));
  if (!choices.empty() && std::find(choices.begin(), choices.end(), word) == choices.end())
    return "'" + sanitized(word, 60) + "'" + nearest(word, choices);
  return "";
}

std::string not_of_kind(const Key& key, Kind kind) {
  return "'" + full_name(key) + "' belongs to " + kinds_of(key) + ", not to " + name(kind);
}

Result<Setting> setting_from(const Key& key, const Node& node, Kind kind, Mark mark) {
  const std::string place = "'" + full_name(key) + "'";
  if (!belongs_to(key, kind)) return wrong(mark, not_of_kind(key, kind));
  Setting setting{&key, {}};
  const bool is_list = node.kind == Node::Kind::kList;
  if (is_list && !takes_list(key)) return wrong(node.mark, place + " takes one value");
  for (const Node& one : is_list ? node.items : std::vector<Node>{node}) {
    if (one.kind == Node::Kind::kNull) return wrong(mark, place + " has no value");
    if (one.kind != Node::Kind::kScalar)
      return wrong(one.mark, place + " takes a value, not a list or a map");
    const bool is_plain =
        key.form == Form::kWhole || key.form == Form::kNumber || key.form == Form::kSwitch;
    if (is_plain && one.quoted)
      return wrong(one.mark, place + " takes no text; leave the quotes out");
    if (const std::string fault = fault_of(key, one.text); !fault.empty())
      return wrong(one.mark, place + ": " + fault);
    const bool is_number = key.form == Form::kWhole || key.form == Form::kNumber;
    setting.values.push_back(is_number ? number_as_written(one.text) : one.text);
  }
  if (setting.values.empty()) return wrong(node.mark, place + " has no value");
  return setting;
}

Status read_block(const Node& node, const Node::Name& block, Scenario& scenario) {
  const auto keys = keys_of(block.text);
  if (node.kind == Node::Kind::kNull)
    return wrong(block.mark, "'" + block.text + "' has no value; leave it out or give one");
  if (node.kind != Node::Kind::kMap) {
    EP_TRY(auto setting, setting_from(keys.front(), node, scenario.kind, block.mark));
    scenario.set(std::move(setting));
    return {};
  }
  if (!*keys.front().name)
    return wrong(node.mark, "'" + block.text + "' takes one value, not a map");
  std::vector<std::string> names;
  for (const Key& key : keys) names.push_back(key.name);
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    const Key* const key = find_key(block.text, node.names[i].text);
    if (!key)
      return wrong(node.names[i].mark, "'" + block.text + "' has no key '" +
                                           sanitized(node.names[i].text, 60) + "'" +
                                           nearest(node.names[i].text, names));
    EP_TRY(auto setting, setting_from(*key, node.items[i], scenario.kind, node.names[i].mark));
    scenario.set(std::move(setting));
  }
  return {};
}

Result<Kind> kind_of(const Node& document) {
  const Node* const node = document.find("kind");
  if (!node)
    return wrong(document.mark, "'kind' is missing; expected one of: " + joined(kind_names()));
  for (const Kind kind : kinds())
    if (node->kind == Node::Kind::kScalar && node->text == name(kind)) return kind;
  return wrong(node->mark,
               "'kind': '" + sanitized(node->text, 60) + "'" + nearest(node->text, kind_names()));
}

/// Kenning's files are common enough for a specific message.
bool is_kennings(const Node& document) {
  return document.find("model_wrapper") || document.find("runtime") ||
         document.find("optimizers") || document.find("runtime_protocol");
}

}  // namespace

Result<Scenario> scenario_from_document(const Node& document) {
  if (document.kind != Node::Kind::kMap)
    return wrong(document.mark, "a scenario is a map, which begins with 'kind: …'");
  if (!document.find("kind") && is_kennings(document))
    return wrong(
        document.mark,
        "this is a scenario of Kenning; 'edgeprobe scenario from-command FILE' writes ours");
  EP_TRY(auto kind, kind_of(document));
  Scenario scenario;
  scenario.kind = kind;
  const auto blocks = block_names();
  for (std::size_t i = 0; i < document.names.size(); ++i) {
    const Node::Name& block = document.names[i];
    if (block.text == "kind") continue;
    if (std::find(blocks.begin(), blocks.end(), block.text) == blocks.end()) {
      auto known = blocks;
      known.insert(known.begin(), "kind");
      return wrong(block.mark, "a scenario has no '" + sanitized(block.text, 60) + "'" +
                                   nearest(block.text, known));
    }
    EP_CHECK(read_block(document.items[i], block, scenario));
  }
  return scenario;
}

Result<Scenario> scenario_from_text(std::string_view text) {
  EP_TRY(const auto document, document_from_text(text));
  return scenario_from_document(document);
}

Result<Setting> setting_of(const Key& key, const std::string& value, const std::string& flag,
                           Kind kind) {
  if (!belongs_to(key, kind)) return Error{ErrorKind::kUsage, flag + ": " + not_of_kind(key, kind)};
  if (const std::string fault = fault_of(key, value); !fault.empty())
    return Error{ErrorKind::kUsage, flag + ": " + fault};
  return Setting{&key, {value}};
}

Result<Setting> setting_from_text(const std::string& text, Kind kind) {
  const std::size_t equals = text.find('=');
  const std::string place = text.substr(0, equals);
  const std::size_t dot = place.find('.');
  const std::string block = place.substr(0, dot);
  const std::string flag = "--set '" + sanitized(text, 100) + "'";
  if (equals == std::string::npos)
    return Error{ErrorKind::kUsage, flag + ": expected BLOCK.KEY=VALUE"};
  const auto blocks = block_names();
  if (std::find(blocks.begin(), blocks.end(), block) == blocks.end())
    return Error{ErrorKind::kUsage, flag + ": a scenario has no '" + sanitized(block, 60) + "'" +
                                        nearest(block, blocks)};
  const auto keys = keys_of(block);
  const std::string name = dot == std::string::npos ? keys.front().name : place.substr(dot + 1);
  const Key* const key = find_key(block, name);
  if (!key) {
    std::vector<std::string> names;
    for (const Key& one : keys) names.push_back(one.name);
    return Error{ErrorKind::kUsage, flag + ": '" + block + "' has no key '" + sanitized(name, 60) +
                                        "'" + nearest(name, names)};
  }
  return setting_of(*key, text.substr(equals + 1), flag, kind);
}

}  // namespace edgeprobe::scenario
