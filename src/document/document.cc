// SPDX-License-Identifier: Apache-2.0
// The only source that uses yaml-cpp. JSON is read as a subset of YAML.
#include "document/document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "core/nesting.h"
#include "core/text.h"

namespace edgeprobe::document {
namespace {

Mark mark_from(const YAML::Mark& mark) {
  return {std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
}

/// Stops the parser early; caught in this source.
struct Refused {
  Mark mark;
  std::string why;
};

/// Builds nodes from yaml-cpp's events, and refuses unsupported input immediately.
class Builder final : public YAML::EventHandler {
 public:
  Node root;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& mark, const std::string&) override {
    throw Refused{mark_from(mark),
                  "anchors (&name) are not supported; write the value in its place"};
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refused{mark_from(mark), "aliases (*name) are not supported; write the value again"};
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    Node node;
    node.mark = mark_from(mark);
    add(std::move(node));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    Node node;
    node.kind = Node::Kind::kScalar;
    node.text = value;
    node.quoted = tag == "!";
    node.mark = mark_from(mark);
    if (!tag.empty() && tag != "?" && tag != "!") refuse_tag(node.mark);
    // yaml-cpp turns these two escapes into one byte instead of the UTF-8 character.
    if (!is_utf8(value))
      throw Refused{node.mark,
                    "the escapes \\N and \\_ are not supported; write the character itself"};
    if (tag == "?" && (value == "null" || value == "Null" || value == "NULL" || value == "~"))
      node.kind = Node::Kind::kNull;
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, Node::Kind::kList);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, Node::Kind::kMap);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    bool wants_value = false;  ///< In a map: the key has been read, its value comes next.
    std::set<std::string> seen;
  };

  [[noreturn]] static void refuse_tag(Mark mark) {
    throw Refused{mark, "tags (!name) are not supported; leave it out"};
  }
  void open(const YAML::Mark& mark, const std::string& tag, Node::Kind kind) {
    const Mark place = mark_from(mark);
    if (!tag.empty() && tag != "?" && tag != "!") refuse_tag(place);
    if (open_.size() == kDeepest)
      throw Refused{place, "nested deeper than " + std::to_string(kDeepest) + " levels"};
    if (!open_.empty() && open_.back().node.kind == Node::Kind::kMap && !open_.back().wants_value)
      throw Refused{place, "a key has to be a word, not a list or a map"};
    Open one;
    one.node.kind = kind;
    one.node.mark = place;
    open_.push_back(std::move(one));
  }
  void close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }
  void add(Node node) {
    if (open_.empty()) {
      root = std::move(node);
      return;
    }
    Open& around = open_.back();
    if (around.node.kind != Node::Kind::kMap || std::exchange(around.wants_value, false)) {
      around.node.items.push_back(std::move(node));
      return;
    }
    if (node.kind != Node::Kind::kScalar || node.text.empty())
      throw Refused{node.mark, "a key has to be a word"};
    if (!around.seen.insert(node.text).second)
      throw Refused{node.mark, "'" + sanitized(node.text, 60) + "' appears twice"};
    around.node.names.push_back({node.text, node.mark});
    around.wants_value = true;
  }

  std::vector<Open> open_;
};

Error refused(Mark mark, const std::string& why) {
  return {ErrorKind::kUsage, to_string(mark) + ": " + why};
}

/// The first line that is not text, if any.
std::optional<int> line_without_text(std::string_view text) {
  int line = 1;
  for (std::string_view rest = text;; ++line) {
    const std::size_t end = rest.find('\n');
    if (!is_utf8(rest.substr(0, end))) return line;
    if (end == std::string_view::npos) return std::nullopt;
    rest = rest.substr(end + 1);
  }
}

/// True if the indentation of that line contains a tab, which YAML forbids.
bool is_indented_by_tab(std::string_view text, int line) {
  for (int at = 1; at < line; ++at) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return false;
    text = text.substr(end + 1);
  }
  const std::string_view blanks = text.substr(0, text.find_first_not_of(" \t"));
  return blanks.find('\t') != std::string_view::npos;
}

}  // namespace

std::string to_string(Mark mark) {
  return "line " + std::to_string(mark.line) + ", column " + std::to_string(mark.column);
}

const Node* Node::find(std::string_view name) const {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].text == name) return &items[i];
  return nullptr;
}

Result<Node> document_from_text(std::string_view text, std::size_t most_bytes) {
  if (text.size() > most_bytes)
    return Error{ErrorKind::kUsage, bytes_text(static_cast<double>(text.size())) + "; at most " +
                                        bytes_text(static_cast<double>(most_bytes)) + " are read"};
  if (const auto line = line_without_text(text))
    return refused({*line, 1}, "expected UTF-8 text without control characters");
  // Brackets in strings count as well; no recipe has that many.
  if (nesting_of(text) > 4 * kDeepest)
    return Error{ErrorKind::kUsage, "brackets are nested too deeply"};
  Builder builder;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) return refused({1, 1}, "it is empty");
    Builder second;
    if (parser.HandleNextDocument(second))
      return refused(second.root.mark, "a second document begins here; a file holds one");
  } catch (const Refused& why) {
    return refused(why.mark, why.why);
  } catch (const YAML::ParserException& wrong) {
    const Mark mark = mark_from(wrong.mark);
    return refused(mark, "no YAML: " + sanitized(wrong.msg, 200) +
                             (is_indented_by_tab(text, mark.line)
                                  ? "; the line is indented by a tab; YAML requires spaces"
                                  : ""));
  } catch (const YAML::Exception& wrong) {
    return refused(mark_from(wrong.mark), "no YAML: " + sanitized(wrong.msg, 200));
  }
  return std::move(builder.root);
}

}  // namespace edgeprobe::document
