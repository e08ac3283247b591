// SPDX-License-Identifier: Apache-2.0
#include "names/characters.h"

#include "core/file.h"
#include "core/text.h"
#include "document/document.h"

namespace edgeprobe::names {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";

Status is_within(std::size_t count) {
  if (count <= std::size_t{kMostClasses}) return {};
  return Error{ErrorKind::kLimit, "over " + std::to_string(kMostClasses) + " characters"};
}

Result<Names> characters_of_lines(std::string_view text) {
  Names out;
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!is_utf8(line))
      return Error{ErrorKind::kCorrupt, "line " + std::to_string(out.size() + 1) +
                                            " is not UTF-8: save the file in that encoding"};
    out.emplace_back(line);
    EP_CHECK(is_within(out.size()));
  }
  return out;
}

Result<Names> characters_of_tree(std::string_view text) {
  using document::Node;
  auto tree = document::document_from_text(text, kMostFileBytes);
  if (!tree) return Error{ErrorKind::kCorrupt, tree.error().what};
  const Node* const post = tree->find("PostProcess");
  const Node* const list = (post ? *post : *tree).find("character_dict");
  if (!list || list->kind != Node::Kind::kList)
    return Error{ErrorKind::kCorrupt,
                 "has no list PostProcess.character_dict, which PaddleOCR's inference.yml has; "
                 "or give a text file with one character per line"};
  Names out;
  for (const Node& item : list->items) {
    if (item.kind != Node::Kind::kScalar)
      return Error{ErrorKind::kCorrupt,
                   document::to_string(item.mark) + ": expected one character"};
    out.push_back(item.text);
    EP_CHECK(is_within(out.size()));
  }
  return out;
}

}  // namespace

Result<Names> characters(ByteView file, std::string_view path) {
  const std::string name = lower_case(path);
  const bool is_tree = name.ends_with(".yml") || name.ends_with(".yaml");
  EP_TRY(auto out, is_tree ? characters_of_tree(file.text()) : characters_of_lines(file.text()));
  if (out.empty()) return Error{ErrorKind::kCorrupt, "holds no character"};
  return out;
}

Result<Names> read_characters(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return std::move(file.error()).during("dictionary");
  const std::string title = "dictionary '" + sanitized(path) + "'";
  if (file->bytes().size > kMostFileBytes)
    return Error{ErrorKind::kLimit,
                 title + ": " + bytes_text(static_cast<double>(file->bytes().size)) + "; at most " +
                     bytes_text(static_cast<double>(kMostFileBytes)) + " are read"};
  auto out = characters(file->bytes(), path);
  if (!out) return std::move(out.error()).during(title);
  return out;
}

}  // namespace edgeprobe::names
