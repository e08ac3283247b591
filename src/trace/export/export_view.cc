// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "core/protobuf.h"
#include "core/text.h"
#include "trace/export/export.h"
#include "trace/names.h"
#include "trace/read/answer_text.h"
#include "trace/read/events.h"
#include "trace/record/chunk_file.h"
#include "trace/record/view_schema.h"

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kMostCurves = 64;  // values per variable or sensor

ProtoWriter timestamp(std::uint64_t time_ns) {
  ProtoWriter time;
  return time.whole(1, time_ns / 1'000'000'000).whole(2, time_ns % 1'000'000'000);
}

/// Writes messages for viewers, in chunks.
class View {
 public:
  explicit View(ChunkFile file) : file_(std::move(file)) {}

  Status start() {
    for (const ViewSchema schema : kViewSchemas)
      EP_CHECK(file_.add_schema(static_cast<std::uint16_t>(schema), schema_of(schema)));
    return {};
  }
  Status put(ViewSchema schema, const std::string& topic, std::uint32_t frame,
             std::uint64_t time_ns, const std::string& message) {
    auto known = channels_.find({schema, topic});
    if (known == channels_.end()) {
      if (channels_.size() >= 65'535)
        return Error{ErrorKind::kLimit, "a file for viewers holds at most 65535 channels"};
      const auto id = static_cast<ChannelId>(channels_.size() + 1);
      EP_CHECK(file_.add_channel(id, static_cast<std::uint16_t>(schema), topic,
                                 message_encoding(schema), {}));
      known = channels_.emplace(std::pair(schema, topic), id).first;
    }
    entries_.push_back({known->second, frame, time_ns, chunk_.size()});
    const std::size_t mark = chunk_.begin(mcap::Op::kMessage);
    chunk_.u16(known->second);
    chunk_.u32(frame);
    chunk_.u64(time_ns);
    chunk_.u64(time_ns);
    chunk_.raw(message.data(), message.size());
    chunk_.end(mark);
    ++count_;
    return chunk_.size() < kChunk ? Status() : end_chunk();
  }
  Status curve(const std::string& topic, std::uint32_t frame, std::uint64_t time_ns,
               const std::vector<double>& values) {
    std::vector<std::string> names(values.size());
    for (std::size_t i = 0; i < names.size(); ++i)
      names[i] = values.size() == 1 ? topic.substr(topic.rfind('/') + 1) : std::to_string(i);
    return put(ViewSchema::kJointState, topic, frame, time_ns, joint_state(time_ns, names, values));
  }
  Status log(const std::string& name, std::uint64_t time_ns, bool warning,
             const std::string& text) {
    ProtoWriter message;
    message.bytes(1, timestamp(time_ns)).whole(2, warning ? 3 : 2).bytes(3, text).bytes(4, name);
    return put(ViewSchema::kLog, "/log", 0, time_ns, message.text());
  }
  Status finish() {
    auto done = end_chunk();
    if (done)
      done = file_.add_metadata(kViewMetadata,
                                {{"what", "a copy for viewers: pictures and curves, no tensors"}});
    return done ? file_.finish() : done;
  }
  std::uint64_t count() const { return count_; }

 private:
  Status end_chunk() {
    if (entries_.empty()) return {};
    auto done = file_.add_chunk({view_of(chunk_.bytes())}, entries_);
    chunk_.clear();
    entries_.clear();
    return done;
  }
  ChunkFile file_;
  std::map<std::pair<ViewSchema, std::string>, ChannelId> channels_;
  mcap::Builder chunk_;
  std::vector<ChunkEntry> entries_;
  std::uint64_t count_ = 0;
};

const char* picture_format(ByteView bytes) {
  const std::string_view text = bytes.sub(0, std::min<std::size_t>(bytes.size, 4)).text();
  if (text.substr(0, 2) == "\xff\xd8") return "jpeg";
  return text == "\x89PNG" ? "png" : nullptr;
}

/// The pixel format's name in foxglove.RawImage; null if it has none.
const char* pixel_format(const Channel& channel) {
  const std::string& encoding = channel.encoding;
  for (const char* same : {"bgr8", "rgba8", "bgra8"})
    if (encoding == same) return same;
  if (encoding != "pixels" || channel.spec.shape.size() != 3) return nullptr;
  return channel.spec.shape[2] == 3 ? "rgb8" : channel.spec.shape[2] == 1 ? "mono8" : nullptr;
}

std::string raw_image(const Shape& hwc, const char* format, std::uint64_t time_ns,
                      std::string_view pixels, const std::string& topic) {
  ProtoWriter message;
  const auto height = static_cast<std::uint32_t>(hwc[0]),
             width = static_cast<std::uint32_t>(hwc[1]);
  return message.bytes(1, timestamp(time_ns))
      .fixed32(2, width)
      .fixed32(3, height)
      .bytes(4, format)
      .fixed32(5, width * static_cast<std::uint32_t>(hwc[2]))
      .bytes(6, pixels)
      .bytes(7, topic)
      .text();
}

/// The shape of a tensor that can be shown as a picture: height, width and one or three channels,
/// after a batch axis of one.
std::optional<Shape> picture_shape(const Channel& channel) {
  if (channel.stage != Stage::kModelInput && channel.stage != Stage::kIntermediate)
    return std::nullopt;
  Shape shape = channel.spec.shape;
  if (shape.size() == 4 && shape[0] == 1) shape.erase(shape.begin());
  if (shape.size() != 3 || (shape[2] != 1 && shape[2] != 3) || shape[0] < 8 || shape[1] < 8)
    return std::nullopt;
  return shape;
}

/// The real values, scaled so that the minimum is 0 and the maximum 255.
std::optional<std::string> stretched(const TensorView& tensor) {
  const auto values = to_float(tensor);
  if (!values || values->empty()) return std::nullopt;
  float least = INFINITY, greatest = -INFINITY;
  for (const float v : *values)
    if (std::isfinite(v)) least = std::min(least, v), greatest = std::max(greatest, v);
  const float factor = greatest > least ? 255.f / (greatest - least) : 0.f;
  std::string pixels(values->size(), '\0');
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const float v = std::isfinite((*values)[i]) ? ((*values)[i] - least) * factor : 0.f;
    pixels[i] =
        static_cast<char>(static_cast<unsigned char>(std::lround(std::clamp(v, 0.f, 255.f))));
  }
  return pixels;
}

/// Returns false if viewers have no form for the message.
Result<bool> put_tensor(View& view, const ReadChannel& from, std::uint32_t frame,
                        std::uint64_t time_ns, ByteView bytes) {
  const Channel& channel = from.channel;
  const std::string topic =
      std::string("/") + name(channel.stage) + "/" + escape(channel.spec.name);
  const auto put = [](Status done) -> Result<bool> {
    return done ? Result<bool>(true) : Result<bool>(done.error());
  };
  if (channel.stage == Stage::kRawInput) {
    if (const char* format = channel.encoding == "encoded" ? picture_format(bytes) : nullptr) {
      ProtoWriter message;
      return put(view.put(ViewSchema::kCompressedImage, topic, frame, time_ns,
                          message.bytes(1, timestamp(time_ns))
                              .bytes(2, bytes.text())
                              .bytes(3, format)
                              .bytes(4, topic)
                              .text()));
    }
    const char* const format = pixel_format(channel);
    return format
               ? put(view.put(ViewSchema::kRawImage, topic, frame, time_ns,
                              raw_image(channel.spec.shape, format, time_ns, bytes.text(), topic)))
               : false;
  }
  if (const auto shape = picture_shape(channel)) {
    const auto pixels = stretched(TensorView(channel.spec, bytes));
    if (!pixels) return false;
    return put(
        view.put(ViewSchema::kRawImage, topic, frame, time_ns,
                 raw_image(*shape, (*shape)[2] == 3 ? "rgb8" : "mono8", time_ns, *pixels, topic)));
  }
  if (channel.stage == Stage::kSpan && channel.spec.dtype == DType::kInt64 && bytes.size == 16) {
    std::int64_t span[2];
    std::memcpy(span, bytes.data, sizeof span);
    return put(view.curve("/span_ms/" + escape(channel.spec.name), frame, time_ns,
                          {static_cast<double>(span[1]) / 1e6}));
  }
  if (channel.is_answer())
    return put(view.log(sanitized(channel.spec.name, 200), time_ns, false, answer_line(bytes)));
  if (channel.is_open() && channel.stage == Stage::kVariable)
    return put(
        view.log(sanitized(channel.spec.name, 200), time_ns, false, sanitized(bytes.text(), 4096)));
  if (channel.stage != Stage::kVariable && channel.stage != Stage::kModelOutput) return false;
  const auto values = to_float(TensorView(channel.spec, bytes));
  if (!values || values->empty() || values->size() > kMostCurves) return false;
  return put(
      view.curve(topic, frame, time_ns, std::vector<double>(values->begin(), values->end())));
}

Status put_event(View& view, const EventStream& stream, const Event& event) {
  switch (stream.kind) {
    case EventStreamKind::kSensor:
      if (!event.values || event.values->empty() || event.values->size() > kMostCurves) return {};
      return view.curve("/sensor/" + escape(stream.name), 0, event.time_ns, *event.values);
    case EventStreamKind::kMark:
      return view.log(sanitized(stream.name, 200), event.time_ns, false,
                      sanitized(event.text, 4096));
    case EventStreamKind::kLevel:
      return view.log("level", event.time_ns, true,
                      sanitized(event.from, 20) + " to " + sanitized(event.to, 20) + ": " +
                          sanitized(event.reason, 400));
  }
  return {};
}

}  // namespace

Result<ExportReport> export_view(const Reader& reader, const std::filesystem::path& path,
                                 const ExportOptions& options, const Control& control) {
  EP_TRY(auto file, ChunkFile::create_hidden(path, reader.library(), options.replace));
  View view(std::move(file));
  ExportReport report;
  auto done = view.start();
  for (std::size_t i = 0; done && i < reader.records().size(); ++i) {
    const FrameRecord& record = reader.records()[i];
    if (control.stopped()) return stopped_error();
    if (record.latency_ns)
      done = view.curve("/latency_ms", record.frame, record.time_ns,
                        {static_cast<double>(*record.latency_ns) / 1e6});
    if (done && record.label)
      done =
          view.curve("/label", record.frame, record.time_ns, {static_cast<double>(*record.label)});
  }
  std::map<ChannelId, std::uint64_t> left_out;
  if (done)
    done = reader.visit([&](const ReadChannel& channel, std::uint32_t frame, std::uint64_t time_ns,
                            ByteView bytes) -> Status {
      if (control.stopped()) return stopped_error();
      EP_TRY(const auto put, put_tensor(view, channel, frame, time_ns, bytes));
      if (put) ++report.tensors;
      else ++left_out[channel.id];
      return {};
    });
  std::vector<std::string> problems;
  if (done)
    done = visit_events(reader.path(), problems,
                        [&](const EventStream& stream, const Event& event) -> Status {
                          if (control.stopped()) return stopped_error();
                          return put_event(view, stream, event);
                        });
  for (const ReadChannel& channel : reader.channels())
    if (left_out.count(channel.id) && channel.channel.stage != Stage::kLayer)
      report.note("'" + sanitized(channel.channel.spec.name, 60) + "' (" +
                  name(channel.channel.stage) + ") has no form that viewers know and is left out");
  if (done) done = view.finish();
  if (!done) return done.error();
  report.rows = view.count();
  return report;
}

}  // namespace edgeprobe::trace
