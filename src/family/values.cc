// SPDX-License-Identifier: Apache-2.0
#include "family/values.h"

#include <algorithm>
#include <charconv>

#include "core/text.h"

namespace edgeprobe::family {
namespace {

using document::Node;

std::string shown(const Value& value) {
  switch (value.node->kind) {
    case Node::Kind::kNull: return "it is empty";
    case Node::Kind::kList: return "it is a list";
    case Node::Kind::kMap: return "it is a map";
    case Node::Kind::kScalar: break;
  }
  return "it is '" + sanitized(value.node->text, 60) + "'";
}

template <class Number>
bool reads(const Node& node, Number& number) {
  if (node.kind != Node::Kind::kScalar || node.text.empty()) return false;
  const char* begin = node.text.data();
  const char* const end = begin + node.text.size();
  if (*begin == '+') ++begin;
  const auto [stop, failure] = std::from_chars(begin, end, number);
  return failure == std::errc{} && stop == end;
}

}  // namespace

Value Value::item(std::size_t index) const {
  return {&node->items[index], key + "[" + std::to_string(index) + "]", label};
}

Value Value::find(const std::string& name) const {
  return {node->find(name), key.empty() ? name : key + "." + name, label};
}

std::string place(const Value& value) {
  return sanitized(*value.label, 300) + ":" + std::to_string(value.node->mark.line) + ": " +
         (value.key.empty() ? "the file" : value.key);
}

Error wrong(const Value& value, const std::string& sentence) {
  return {ErrorKind::kUsage, place(value) + ": " + sentence};
}

Result<std::int64_t> whole_number(const Value& value, std::int64_t least, std::int64_t most) {
  std::int64_t number = 0;
  if (reads(*value.node, number) && number >= least && number <= most) return number;
  return wrong(value, "expected a whole number from " + std::to_string(least) + " to " +
                          std::to_string(most) + "; " + shown(value));
}

Result<double> real_number(const Value& value, double least, double most) {
  double number = 0;
  // YAML 1.1 reads 1e-5 as a text; it is a number here.
  if (reads(*value.node, number) && number >= least && number <= most) return number;
  return wrong(value, "expected a number from " + edgeprobe::number(least) + " to " +
                          edgeprobe::number(most) + "; " + shown(value));
}

Result<bool> flag(const Value& value) {
  const std::string text =
      value.node->kind == Node::Kind::kScalar ? lower_case(value.node->text) : "";
  if (text == "true") return true;
  if (text == "false") return false;
  return wrong(value, "expected true or false; " + shown(value));
}

Result<std::string> word(const Value& value) {
  const bool is_text = value.node->kind == Node::Kind::kScalar;
  if (is_text && value.node->text.size() <= 200 && is_utf8(value.node->text))
    return value.node->text;
  return wrong(value, "expected a text of at most 200 characters" +
                          (is_text ? std::string() : "; " + shown(value)));
}

Result<std::size_t> one_of(const Value& value, const std::vector<std::string>& words) {
  EP_TRY(const auto text, word(value));
  const auto found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::string near = closest_match(text, words);
  return wrong(value, "'" + sanitized(text, 60) + "' is unknown; expected " + listed(words) +
                          (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

Status check_keys(const Value& map, const std::vector<std::string>& known) {
  if (!map.is_map()) return wrong(map, "expected a map of keys; " + shown(map));
  for (const Node::Name& name : map.node->names) {
    if (std::find(known.begin(), known.end(), name.text) != known.end()) continue;
    const std::string near = closest_match(name.text, known);
    Node at;
    at.mark = name.mark;
    return wrong({&at, map.key, map.label},
                 "key '" + sanitized(name.text, 60) + "' is unknown; " +
                     (near.empty() ? "expected " + listed(known) : "did you mean '" + near + "'?"));
  }
  return {};
}

}  // namespace edgeprobe::family
