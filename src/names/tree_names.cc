// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/text.h"
#include "document/document.h"
#include "names/kinds.h"

namespace edgeprobe::names {
namespace {

using document::Node;

// Keys of a map that contain the names, and keys of a single class.
constexpr std::array<std::string_view, 5> kLists{"id2label", "names", "labels", "classes",
                                                 "categories"};
constexpr std::array<std::string_view, 3> kIds{"id", "index", "class_id"};
constexpr std::array<std::string_view, 3> kNames{"display_name", "name", "label"};

Error not_names(const Node& node, const std::string& what) {
  return {ErrorKind::kCorrupt, document::to_string(node.mark) + ": " + what};
}

// A name is a text, or a list that ends with one: ["n01440764", "tench"], as in Keras.
const Node* name_node(const Node& node) {
  if (node.kind == Node::Kind::kScalar) return &node;
  if (node.kind == Node::Kind::kList && !node.items.empty() &&
      node.items.back().kind == Node::Kind::kScalar)
    return &node.items.back();
  return nullptr;
}

const Node* first_of(const Node& node, const auto& keys) {
  for (const std::string_view key : keys)
    if (const Node* found = node.find(key)) return found;
  return nullptr;
}

Result<Names> names_of_list(const Node& list) {
  Numbered numbered;
  for (const Node& item : list.items) {
    int number = static_cast<int>(numbered.size());
    const Node* name = &item;
    if (item.kind == Node::Kind::kMap) {
      name = first_of(item, kNames);
      if (const Node* id = first_of(item, kIds)) {
        const auto given = class_number(id->text);
        if (!given) return not_names(*id, in_quotes(id->text, 40) + " is not a class number");
        number = *given;
      }
    }
    if (!name || name->kind != Node::Kind::kScalar)
      return not_names(item, "expected the name of a class");
    numbered.emplace_back(number, name->text);
  }
  return in_order(numbered);
}

// Numbers with their names, or names with their numbers (label2id).
Result<Names> names_of_map(const Node& map) {
  Numbered numbered;
  for (std::size_t i = 0; i < map.items.size(); ++i) {
    const auto number = class_number(map.names[i].text);
    const Node* const name = name_node(map.items[i]);
    if (!number || !name)
      return not_names(map.items[i], "expected a class's number and its name, such as 0: tench");
    numbered.emplace_back(*number, name->text);
  }
  return in_order(numbered);
}

Result<Names> names_of_numbers(const Node& map) {
  Numbered numbered;
  for (std::size_t i = 0; i < map.items.size(); ++i) {
    const auto number = class_number(map.items[i].text);
    if (!number) return not_names(map.items[i], "expected the number of a class");
    numbered.emplace_back(*number, map.names[i].text);
  }
  return in_order(numbered);
}

Result<Names> names_of_node(const Node& node) {
  if (node.kind == Node::Kind::kList) return names_of_list(node);
  if (node.kind == Node::Kind::kMap) {
    if (const Node* named = first_of(node, kLists)) return names_of_node(*named);
    if (const Node* numbers = node.find("label2id")) return names_of_numbers(*numbers);
    return names_of_map(node);
  }
  return not_names(node, "expected names of classes: a list, or numbers with names, under " +
                             joined(std::vector<std::string>(kLists.begin(), kLists.end())));
}

}  // namespace

bool is_tree(const Text& text) {
  const char first = text.whole[text.whole.find_first_not_of(" \t\r\n")];
  if (text.ending == ".json" || text.ending == ".yaml" || text.ending == ".yml") return true;
  if (first == '{' || first == '[') return true;
  return std::any_of(text.lines.begin(), text.lines.end(),
                     [](std::string_view line) { return line == "names:" || line == "id2label:"; });
}

Result<Names> read_tree(const Text& text) {
  auto document = document::document_from_text(text.whole, kMostFileBytes);
  if (!document) {
    document.error().kind = ErrorKind::kCorrupt;
    return std::move(document).error();
  }
  return names_of_node(*document);
}

}  // namespace edgeprobe::names
