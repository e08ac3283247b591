// SPDX-License-Identifier: Apache-2.0
#include "trace/frame_json.h"

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/text.h"
#include "trace/json_text.h"
#include "trace/names.h"

namespace edgeprobe::trace {
namespace {

using Json = nlohmann::json;

Error bad(const FrameRecord& record, std::string_view key, std::string_view expected) {
  return {ErrorKind::kCorrupt, "record of frame " + std::to_string(record.frame) + ": " +
                                   std::string(key) + " is not " + std::string(expected)};
}

const Json* find(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at == object.end() || at->is_null() ? nullptr : &*at;
}

bool whole_number_in(const Json& value, std::int64_t least, std::int64_t most) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned())
    return value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most) &&
           static_cast<std::int64_t>(value.get<std::uint64_t>()) >= least;
  return value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most;
}

/// The text of an object's last member with this name, as written; `object` is valid JSON.
std::string_view member_text(std::string_view object, std::string_view name) {
  constexpr const char* kSpaces = " \t\r\n";
  std::string_view found;
  std::size_t at = object.find('{') + 1;
  while (true) {
    at = object.find_first_not_of(kSpaces, at);
    if (object[at] == '}') return found;
    if (object[at] == ',') at = object.find_first_not_of(kSpaces, at + 1);
    const std::size_t key_end = end_of_json(object, at);
    const std::string_view key = object.substr(at, key_end - at);
    const std::size_t start = object.find_first_not_of(kSpaces, object.find(':', key_end) + 1);
    at = end_of_json(object, start);
    // A key may contain escapes.
    if (Json::parse(key.begin(), key.end()).get_ref<const std::string&>() == name)
      found = object.substr(start, at - start);
  }
}

Status read_annotation(const Json& json, std::string_view text, FrameRecord& record) {
  const Json* kind = json.is_object() ? find(json, "kind") : nullptr;
  if (!kind || !kind->is_string() || kind->get_ref<const std::string&>().size() > kLongestKind ||
      kind->get_ref<const std::string&>().empty() || !json.contains("value"))
    return bad(record, "annotation", "an object with a kind and a value");
  const std::string_view value = member_text(member_text(text, "annotation"), "value");
  if (value.size() > kLongestAnnotation)
    return bad(record, "the value of annotation",
               "of at most " + std::to_string(kLongestAnnotation) + " bytes");
  record.annotation = FrameAnnotation{kind->get<std::string>(), std::string(value)};
  return {};
}

// Reads records in the usual form: one flat object of ASCII texts and integers, in a tenth of a
// full parser's time; a trace has one record per frame. Returns false for any other form, with the
// record in an unspecified state.
class QuickReader {
 public:
  explicit QuickReader(std::string_view text)
      : next_(text.data()), end_(text.data() + text.size()) {}

  bool read(FrameRecord& record) {
    if (!take('{')) return false;
    if (take('}')) return is_at_end();
    do {
      std::string_view key, text;
      std::int64_t number = 0;
      if (!take_text(key) || !take(':')) return false;
      if (key == "sample" && take_text(text)) {
        record.sample = unescape(text);
      } else if (key == "sha256" && take_text(text) && text.size() == 64) {
        record.sha256 = text;
      } else if (key == "label" && take_number(number) &&
                 number >= std::numeric_limits<int>::min() &&
                 number <= std::numeric_limits<int>::max()) {
        record.label = static_cast<int>(number);
      } else if (key == "latency_ns" && take_number(number) && number >= 0) {
        record.latency_ns = number;
      } else {
        return false;
      }
    } while (take(','));
    return take('}') && is_at_end();
  }

 private:
  void skip_spaces() {
    while (next_ != end_ && *next_ == ' ') ++next_;
  }
  bool is_at_end() {
    skip_spaces();
    return next_ == end_;
  }
  bool take(char wanted) {
    skip_spaces();
    if (next_ == end_ || *next_ != wanted) return false;
    ++next_;
    return true;
  }
  bool take_text(std::string_view& text) {
    if (!take('"')) return false;
    const char* const start = next_;
    while (next_ != end_ && *next_ >= 0x20 && *next_ <= 0x7e && *next_ != '"' && *next_ != '\\')
      ++next_;
    text = {start, static_cast<std::size_t>(next_ - start)};
    return next_ != end_ && *next_++ == '"';
  }
  bool take_number(std::int64_t& number) {
    skip_spaces();
    const char* const start = next_;
    const auto [stop, failure] = std::from_chars(next_, end_, number);
    if (failure != std::errc{}) return false;
    next_ = stop;
    const char* const digits = start + (*start == '-');
    // JSON forbids leading zeros; the next character must be , or }
    return stop - digits == 1 || *digits != '0';
  }
  const char* next_;
  const char* end_;
};

}  // namespace

Status read_frame_json(ByteView bytes, FrameRecord& record) {
  if (bytes.size > kLongestFrameJson)
    return bad(record, "its JSON", "of at most " + std::to_string(kLongestFrameJson) + " bytes");
  const std::string_view text = bytes.text();
  FrameRecord quick = record;
  if (QuickReader(text).read(quick)) {
    record = std::move(quick);
    return {};
  }
  const Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return bad(record, "its data", "a JSON object");
  if (const Json* sample = find(json, "sample")) {
    if (!sample->is_string()) return bad(record, "sample", "a text");
    record.sample = unescape(sample->get_ref<const std::string&>());
  }
  if (const Json* sha = find(json, "sha256")) {
    if (!sha->is_string() || sha->get_ref<const std::string&>().size() != 64)
      return bad(record, "sha256", "64 hexadecimal digits");
    record.sha256 = sha->get<std::string>();
  }
  if (const Json* label = find(json, "label")) {
    if (!whole_number_in(*label, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()))
      return bad(record, "label", "a whole number of 32 bits");
    record.label = label->get<int>();
  }
  if (const Json* latency = find(json, "latency_ns")) {
    if (!whole_number_in(*latency, 0, std::numeric_limits<std::int64_t>::max()))
      return bad(record, "latency_ns", "a whole number of 0 or more");
    record.latency_ns = latency->get<std::int64_t>();
  }
  if (const Json* begins = find(json, "begins_sequence")) {
    if (!begins->is_boolean()) return bad(record, "begins_sequence", "true or false");
    record.begins_sequence = begins->get<bool>();
  }
  if (const Json* annotation = find(json, "annotation"))
    return read_annotation(*annotation, text, record);
  return {};
}

}  // namespace edgeprobe::trace
