// SPDX-License-Identifier: Apache-2.0
// What stands in a trace as text, one form a line: a frame's JSON, the index of frames, a channel's
// topic and metadata.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "trace/channel_text.h"
#include "trace/frame_index.h"
#include "trace/frame_json.h"
#include "trace/json_text.h"
#include "trace/names.h"

namespace {

using namespace edgeprobe;

void require(bool condition) {
  if (!condition) std::abort();
}

bool same(const trace::FrameRecord& a, const trace::FrameRecord& b) {
  return a.sample == b.sample && a.sha256 == b.sha256 && a.label == b.label &&
         a.latency_ns == b.latency_ns && a.begins_sequence == b.begins_sequence &&
         a.annotation.has_value() == b.annotation.has_value() &&
         (!a.annotation ||
          (a.annotation->kind == b.annotation->kind && a.annotation->value == b.annotation->value));
}

// Compares the quick reader with the full one, which a key with an escape selects.
void read_json(std::string_view text) {
  trace::FrameRecord record;
  const auto read = trace::read_frame_json(view_of(text), record);
  require(read || !read.error().what.empty());
  if (read) {
    trace::FrameRecord again;
    const std::string written = trace::frame_json(record, 0);
    if (written.size() <= trace::kLongestFrameJson)
      require(trace::read_frame_json(view_of(written), again) && same(record, again));
  }
  const std::size_t key = text.find_first_not_of(' ', 1);
  if (text.empty() || text[0] != '{' || key == std::string_view::npos || text[key] != '"') return;
  const std::string full = "{\"\\u0061\":0," + std::string(text.substr(1));
  if (full.size() > trace::kLongestFrameJson) return;
  trace::FrameRecord other;
  const auto slow = trace::read_frame_json(view_of(full), other);
  require(slow.has_value() == read.has_value() && (!read || same(record, other)));
}

void read_index(std::string_view frames, std::string_view chunks) {
  const auto index = trace::FrameIndex::from_text(
      {{"frames", std::string(frames)}, {"chunks", std::string(chunks)}});
  if (!index) return;
  std::uint64_t count = 0, last = 0;
  for (const auto& [first, end] : index->frames()) {
    require(first <= end && (count == 0 || first > last));
    count += std::uint64_t{end} - first + 1;
    last = end;
  }
  require(count == index->frame_count());
  for (const auto& [first, end] : index->chunks()) require(first <= end);
}

void read_channel(std::string_view topic, std::string_view rest) {
  std::map<std::string, std::string> metadata;
  for (std::size_t end; !rest.empty(); rest.remove_prefix(std::min(end + 1, rest.size()))) {
    end = std::min(rest.find(';'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    const std::size_t is = std::min(pair.find('='), pair.size());
    metadata[std::string(pair.substr(0, is))] = pair.substr(std::min(is + 1, pair.size()));
  }
  const auto channel = trace::channel_from(topic, metadata);
  if (!channel) return require(!channel.error().what.empty());
  (void)trace::message_size(*channel);
  if (trace::unwritable(*channel)) return;
  const auto again = trace::channel_from(trace::topic_of(*channel), trace::metadata_of(*channel));
  require(again && again->spec.name == channel->spec.name &&
          again->spec.shape == channel->spec.shape && again->stage == channel->stage);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_json(text);
  const std::size_t line = std::min(text.find('\n'), size);
  const std::string_view first = text.substr(0, line),
                         second = line < size ? text.substr(line + 1) : std::string_view{};
  read_index(first, second);
  read_channel(first, second);
  require(trace::unescape(trace::escape(text)) == text);
  // A parser accepts every text that the writer's check accepts.
  if (trace::is_json(text)) {
    const std::string record = R"({"annotation":{"kind":"k","value":)" + std::string(text) + "}}";
    trace::FrameRecord read;
    if (text.size() <= trace::kLongestAnnotation)
      require(trace::read_frame_json(view_of(record), read) && read.annotation.has_value());
  }
  (void)trace::unescape(text);
  return 0;
}
