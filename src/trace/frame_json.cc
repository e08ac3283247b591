// SPDX-License-Identifier: Apache-2.0
#include "trace/frame_json.h"

#include <algorithm>
#include <charconv>

#include "trace/json_text.h"
#include "trace/names.h"

namespace edgeprobe::trace {

std::string frame_schema() {
  return R"({"$schema":"https://json-schema.org/draft/2020-12/schema","title":"edgeprobe.Frame","type":"object",)"
         R"("properties":{"sample":{"type":"string"},"sha256":{"type":"string","pattern":"^[0-9a-f]{64}$"},)"
         R"("label":{"type":"integer"},"latency_ns":{"type":"integer"},"dropped":{"type":"integer"},)"
         R"("begins_sequence":{"type":"boolean"},)"
         R"("annotation":{"type":"object","required":["kind","value"],"properties":{"kind":{"type":"string"}}}}})";
}

namespace {

// Writes keys in byte order, as a JSON library would: those of numbers come first.
class Numbers {
 public:
  explicit Numbers(char* out) : start_(out), at_(out) {}
  template <class T>
  void add(std::string_view key, T value) {
    add_key(key);
    at_ = std::to_chars(at_, at_ + 20, value).ptr;
  }
  void add_true(std::string_view key) {
    constexpr std::string_view kTrue = "true";
    add_key(key);
    at_ = std::copy(kTrue.begin(), kTrue.end(), at_);
  }
  std::size_t size() const { return static_cast<std::size_t>(at_ - start_); }

 private:
  void add_key(std::string_view key) {
    *at_ = at_ == start_ ? '{' : ',';
    *++at_ = '"';
    ++at_;
    at_ = std::copy(key.begin(), key.end(), at_);
    *at_++ = '"';
    *at_++ = ':';
  }
  char *start_, *at_;
};

}  // namespace

FrameJson::FrameJson(const FrameRecord& record, std::uint64_t dropped) {
  Numbers numbers(short_);
  if (record.begins_sequence) numbers.add_true("begins_sequence");
  if (dropped) numbers.add("dropped", dropped);
  if (record.label) numbers.add("label", *record.label);
  if (record.latency_ns) numbers.add("latency_ns", *record.latency_ns);
  size_ = numbers.size();
  if (record.sample.empty() && record.sha256.empty() && !record.annotation) {
    if (size_ == 0) short_[size_++] = '{';
    short_[size_++] = '}';
    return;
  }
  const std::string sample = escape(record.sample), sha256 = as_utf8(record.sha256);
  long_.reserve(size_ + sample.size() + sha256.size() + 32);
  if (record.annotation) {
    long_ = R"({"annotation":)" + annotation_json(*record.annotation);
  }
  long_.append(short_, size_);
  if (record.annotation && size_ > 0) long_[long_.size() - size_] = ',';
  const auto add = [&](std::string_view key, const std::string& text) {
    if (text.empty()) return;
    long_ += long_.empty() ? '{' : ',';
    append_json_text(long_, key);
    long_ += ':';
    append_json_text(long_, text);
  };
  add("sample", sample);
  add("sha256", sha256);
  long_ += '}';
}

std::string annotation_json(const FrameAnnotation& annotation) {
  std::string json = R"({"kind":)";
  append_json_text(json, as_utf8(annotation.kind));
  return json + ",\"value\":" + annotation.value + "}";
}

std::string frame_json(const FrameRecord& record, std::uint64_t dropped) {
  return std::string(FrameJson(record, dropped).text());
}

}  // namespace edgeprobe::trace
