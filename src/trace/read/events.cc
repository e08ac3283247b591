// SPDX-License-Identifier: Apache-2.0
#include "trace/read/events.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/file.h"
#include "core/text.h"
#include "trace/mcap/decode.h"
#include "trace/mcap/mcap.h"
#include "trace/mcap/problems.h"
#include "trace/mcap/refused.h"
#include "trace/mcap/segment.h"
#include "trace/mcap/summary.h"
#include "trace/mcap/walk.h"

namespace edgeprobe::trace {
namespace {

using mcap::Op;
using mcap::Record;
using Json = nlohmann::json;

constexpr std::size_t kLongestEvent = 65536, kMostValues = 4096;

std::string text_at(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

class EventVisit {
 public:
  EventVisit(const MappedFile& file, Problems& problems,
             const std::function<Status(const EventStream&, const Event&)>& visitor)
      : file_(file), problems_(problems), visitor_(visitor) {}

  bool take(const Record& record) {
    if (record.op == Op::kChannel) add_channel(record.content);
    if (record.op == Op::kMessage) add_message(record);
    if (record.op == Op::kChunk) add_chunk(record);
    return done_.has_value();
  }
  void add_channel(ByteView content) {
    const auto fields = mcap::channel_fields(content);
    if (!fields) return;
    if (auto stream = event_stream_from(fields->topic, fields->encoding))
      event_streams_.emplace(fields->id, std::move(*stream));
  }
  bool knows_any() const { return !event_streams_.empty(); }
  Status done() && { return std::move(done_); }

 private:
  void add_chunk(const Record& record) {
    const auto fields = mcap::chunk_fields(record.content);
    if (!fields)
      return problems_.add("the chunk" + at(record.offset) + " is damaged; it is skipped");
    Segment segment = chunk_segment(record, *fields, file_.bytes());
    if (!segment.codec.empty()) decoded_bytes_ += segment.decoded_size;
    if (decoded_bytes_ > most_decoded(file_.bytes().size))
      return problems_.add("the chunk" + at(record.offset) +
                           " claims too many bytes when decoded; it is skipped");
    Decoded decoded;
    const auto body = segment_bytes(file_, segment, decoded, /*verify=*/true);
    if (!body) return problems_.add(body.error().what + "; it is skipped");
    for (std::size_t next = 0; next < body->size && done_;) {
      const auto inner = mcap::record_at(*body, next);
      if (!inner) break;
      next = inner->end();
      if (inner->op == Op::kChannel) add_channel(inner->content);
      if (inner->op == Op::kMessage) add_message(*inner);
    }
  }

  void add_message(const Record& record) {
    const auto head = mcap::message_head(record.content);
    const auto stream = head ? event_streams_.find(head->channel) : event_streams_.end();
    if (stream == event_streams_.end()) return;
    const ByteView body =
        record.content.sub(mcap::kMessageHead, record.content.size - mcap::kMessageHead);
    const auto event = event_from(body, head->log_time);
    if (!event)
      return problems_.add("a message of series '" + sanitized(stream->second.name, 60) +
                           "' does not follow the format; it is left out");
    done_ = visitor_(stream->second, *event);
  }

  const MappedFile& file_;
  Problems& problems_;
  const std::function<Status(const EventStream&, const Event&)>& visitor_;
  std::map<std::uint16_t, EventStream> event_streams_;
  std::uint64_t decoded_bytes_ = 0;
  Status done_;
};

}  // namespace

std::optional<Event> event_from(ByteView bytes, std::uint64_t time_ns) {
  if (bytes.size > kLongestEvent) return std::nullopt;
  const Json object = Json::parse(bytes.text(), nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return std::nullopt;
  Event event;
  event.time_ns = time_ns;
  if (const auto frame = object.find("frame"); frame != object.end() && frame->is_number_unsigned())
    event.frame = frame->get<std::uint32_t>();
  if (const auto values = object.find("values"); values != object.end() && values->is_array()) {
    if (values->size() > kMostValues) return std::nullopt;
    event.values.emplace();
    for (const Json& value : *values) {
      if (!value.is_number()) return std::nullopt;
      event.values->push_back(value.get<double>());
    }
  }
  event.unit = text_at(object, "unit");
  event.reason = text_at(object, "reason");
  event.text = text_at(object, "text");
  event.from = text_at(object, "from");
  event.to = text_at(object, "to");
  return event;
}

Status visit_events(const std::filesystem::path& path, std::vector<std::string>& problems,
                    const std::function<Status(const EventStream&, const Event&)>& visitor) {
  EP_TRY(const auto file, MappedFile::open(path));
  const std::string label = "'" + sanitized(path.string()) + "'";
  if (auto refused = refused_start(file.bytes(), label)) return *refused;
  Problems met;
  const Summary summary = read_summary(file.bytes(), met);
  EventVisit visit(file, met, visitor);
  for (const ByteView channel : summary.channels) visit.add_channel(channel);
  // A valid summary names every channel: if none is an event stream, gigabytes of layers need not
  // be read.
  if (summary.has_footer && summary.has_checksum && !summary.channels.empty() && !visit.knows_any())
    return {};
  walk(file, summary, met, [&](const Record& record) { return visit.take(record); });
  problems.insert(problems.end(), met.sentences().begin(), met.sentences().end());
  return std::move(visit).done();
}

}  // namespace edgeprobe::trace
