// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"
#include "names/kinds.h"

namespace edgeprobe::names {
namespace {

constexpr std::string_view kBlanks = " \t\r\n,;";

// Tokenizes words, quoted texts and braces of a text-format protocol buffer.
struct Scanner {
  std::string_view text;
  std::size_t at = 0;

  struct Token {
    std::string text;
    bool is_quoted = false;
  };
  std::size_t line() const {
    std::size_t count = 1;
    for (const char c : text.substr(0, at)) count += c == '\n';
    return count;
  }
  void skip() {
    while (at < text.size()) {
      at = std::min(text.find_first_not_of(kBlanks, at), text.size());
      if (at == text.size() || text[at] != '#') return;
      at = std::min(text.find('\n', at), text.size());
    }
  }
  std::optional<Token> next() {
    skip();
    if (at == text.size()) return std::nullopt;
    const char c = text[at];
    if (c == '{' || c == '}' || c == ':') return Token{std::string(1, text[at++])};
    if (c != '"' && c != '\'') {
      const std::size_t begin = at;
      at = std::min(text.find_first_of(" \t\r\n,;{}:#\"'", at), text.size());
      return Token{std::string(text.substr(begin, at - begin))};
    }
    Token token{"", true};
    for (++at; at < text.size() && text[at] != c && text[at] != '\n'; ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) ++at;
      token.text += text[at];
    }
    if (at == text.size() || text[at] != c) return std::nullopt;
    ++at;
    return token;
  }
};

struct Item {
  std::optional<int> id;
  std::string name, display_name;
};

Result<Item> read_item(Scanner& scanner) {
  const auto wrong = [&](const std::string& what) {
    return Error{ErrorKind::kCorrupt, "line " + std::to_string(scanner.line()) + ": " + what};
  };
  Item item;
  for (int depth = 1; depth > 0;) {
    const auto key = scanner.next();
    if (!key) return wrong("an item that does not end");
    if (key->text == "}" && !key->is_quoted) {
      --depth;
      continue;
    }
    auto value = scanner.next();
    if (value && value->text == ":" && !value->is_quoted) value = scanner.next();
    if (!value) return wrong("no value for " + in_quotes(key->text, 40));
    if (value->text == "{" && !value->is_quoted) ++depth;
    if (depth > 1) continue;
    if (key->text == "id") {
      item.id = class_number(value->text);
      if (!item.id) return wrong(in_quotes(value->text, 40) + " is not a class number");
    }
    if (key->text == "name") item.name = value->text;
    if (key->text == "display_name") item.display_name = value->text;
  }
  if (!item.id) return wrong("an item without an id");
  return item;
}

}  // namespace

bool is_items(const Text& text) {
  Scanner scanner{text.whole};
  const auto first = scanner.next();
  if (!first || first->text != "item") return false;
  auto second = scanner.next();
  if (second && second->text == ":") second = scanner.next();
  return second && second->text == "{";
}

Result<Names> read_items(const Text& text) {
  Scanner scanner{text.whole};
  Numbered numbered;
  while (const auto word = scanner.next()) {
    auto brace = scanner.next();
    if (brace && brace->text == ":") brace = scanner.next();
    if (word->text != "item" || !brace || brace->text != "{")
      return Error{ErrorKind::kCorrupt, "line " + std::to_string(scanner.line()) +
                                            ": expected item {…}, found " +
                                            in_quotes(word->text, 40)};
    EP_TRY(auto item, read_item(scanner));
    numbered.emplace_back(*item.id, item.display_name.empty() ? item.name : item.display_name);
  }
  return in_order(numbered);
}

}  // namespace edgeprobe::names
