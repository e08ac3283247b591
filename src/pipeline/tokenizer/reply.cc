// SPDX-License-Identifier: Apache-2.0
#include "pipeline/tokenizer/reply.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/codec.h"
#include "core/text.h"
#include "text/utf8.h"

namespace edgeprobe::pipeline::tokenizer_wire {
namespace {

using Json = nlohmann::json;
constexpr std::int64_t kMostId = std::int64_t{1} << 31;
constexpr std::size_t kMostEdits = 64, kLongestWord = 200, kLongestText = 65536;

/// In the order of text::Change; names as in tokenizer.py.
constexpr std::array kChanges{
    "lower", "upper",           "strip_accents", "nfc",      "nfd",
    "nfkc",  "collapse_spaces", "strip",         "one_line", "drop_punctuation",
    "ascii", "latin1",          "json_escape",   "prefix",   "suffix"};
static_assert(kChanges.size() == std::size_t(text::Change::kSuffix) + 1);

Error nonsense(const std::string& what) {
  return {ErrorKind::kCorrupt, "the tokenizer's process sent an invalid answer: " + what};
}

Result<Json> parsed(ByteView body) {
  Json json = Json::parse(body.text(), nullptr, false);
  if (!json.is_object()) return nonsense("not a JSON object");
  return json;
}

std::string text_of(const Json& json, const char* key) {
  const auto at = json.find(key);
  return at != json.end() && at->is_string() ? at->get<std::string>() : std::string();
}

const Json* list_of(const Json& json, const char* key) {
  const auto at = json.find(key);
  return at != json.end() && at->is_array() ? &*at : nullptr;
}

Bytes bytes_of(const Json& json) {
  // Text that is not UTF-8 was rejected earlier.
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return view_of(text).copy();
}

Result<std::vector<std::int64_t>> ids_of(const Json& list) {
  std::vector<std::int64_t> ids;
  if (!list.is_array()) return nonsense("a list of ids is missing");
  for (const Json& one : list) {
    if (!one.is_number_integer()) return nonsense("an id is not a whole number");
    const bool large =
        one.is_number_unsigned() && one.get<std::uint64_t>() >= std::uint64_t(kMostId);
    const std::int64_t id = large ? kMostId : one.get<std::int64_t>();
    if (id < 0 || id >= kMostId)
      return nonsense("an id is below 0, or 2147483648 or more: " + sanitized(one.dump(), 30));
    ids.push_back(id);
  }
  return ids;
}

}  // namespace

Result<Hello> parse_hello(ByteView body) {
  EP_TRY(const auto json, parsed(body));
  Hello hello{text_of(json, "environment"), text_of(json, "sha256"), {}};
  if (const Json* const edits = list_of(json, "edits"))
    for (const Json& one : *edits)
      if (one.is_string() && hello.edits.size() < kMostEdits)
        hello.edits.push_back(one.get<std::string>());
  return hello;
}

Result<std::vector<text::Tokens>> parse_tokens(ByteView body,
                                               const std::vector<std::size_t>& parts) {
  EP_TRY(const auto json, parsed(body));
  const Json* const samples = list_of(json, "ids");
  if (!samples || samples->size() != parts.size())
    return nonsense("ids of " + std::to_string(samples ? samples->size() : 0) + " samples for " +
                    std::to_string(parts.size()));
  std::vector<text::Tokens> out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Json& sample = (*samples)[i];
    if (!sample.is_array() || sample.size() != parts[i])
      return nonsense("another number of texts than were given");
    text::Tokens tokens;
    for (const Json& one : sample) {
      EP_TRY(auto ids, ids_of(one));
      tokens.push_back(std::move(ids));
    }
    out.push_back(std::move(tokens));
  }
  return out;
}

Result<std::vector<std::optional<std::string>>> parse_words(ByteView body, std::size_t count) {
  EP_TRY(const auto json, parsed(body));
  const Json* const words = list_of(json, "words");
  if (!words || words->size() != count) return nonsense("another number of words");
  std::vector<std::optional<std::string>> out;
  for (const Json& one : *words)
    out.push_back(one.is_string() ? std::optional(sanitized(one.get<std::string>(), kLongestWord))
                                  : std::nullopt);
  return out;
}

Result<std::string> parse_text(ByteView body) {
  EP_TRY(const auto json, parsed(body));
  std::string said = text_of(json, "text");
  if (said.size() > kLongestText || text::first_bad_byte(said)) return nonsense("not a text");
  return said;
}

Bytes encode_request(const std::vector<std::vector<std::string>>& texts,
                     const std::vector<text::TextStep>& before, const std::string& edit) {
  Json steps = Json::array();
  for (const text::TextStep& step : before)
    steps.push_back(Json::array({kChanges[static_cast<std::size_t>(step.change)], step.text}));
  return bytes_of({{"texts", texts}, {"before", steps}, {"edit", edit}});
}

Bytes words_request(const std::vector<std::int64_t>& ids) { return bytes_of({{"words", ids}}); }
Bytes text_request(const std::vector<std::int64_t>& ids) { return bytes_of({{"text_of", ids}}); }

}  // namespace edgeprobe::pipeline::tokenizer_wire
