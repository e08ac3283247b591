// SPDX-License-Identifier: Apache-2.0
#include "trace/record/writer.h"

#include <utility>

#include "core/text.h"
#include "trace/record/file_sink.h"
#include "trace/record/parts.h"

namespace edgeprobe::trace {
namespace {

// Not inlined, which keeps put() short.
[[gnu::noinline]] bool put_into_part(Parts& p, ChannelId channel, std::uint32_t frame,
                                     std::uint64_t time_ns, const StridedBytes& values,
                                     Error& why) {
  const auto entered = p.enter_frame(frame, values.size());
  const ChannelId id = entered ? p.id_of(channel) : ChannelId{0};
  if (id) return p.part().write({id, Part::Kind::kTensor, frame, time_ns, values}, why);
  why = entered ? Error{ErrorKind::kUsage,
                        "channel " + std::to_string(channel) + " was not added to this trace"}
                : entered.error();
  return false;
}

[[gnu::noinline]] Status put_into_part(Parts& p, const FrameRecord& record) {
  EP_TRY(const auto entered, p.enter_frame(record.frame, record.sample.size() + 64));
  p.frame_ends(record.frame);
  return p.part().frame(record);
}

}  // namespace

Result<Writer> Writer::open(const std::filesystem::path& path, const WriterOptions& options,
                            bool replace, const TimeSource& time) {
  const std::string title = "'" + sanitized(path.string()) + "'";
  if (!options.rotation.is_never()) {
    if (replace)
      return Error{ErrorKind::kUsage, title +
                                          ": a recording in parts replaces nothing; the next free "
                                          "numbers are taken"};
    EP_TRY(auto parts, Parts::open(path, options, time));
    return Writer(std::move(parts));
  }
  auto one =
      Parts::open({[&] {
                     return FileSink::create(path, {replace, /*hidden=*/false, options.most_bytes});
                   },
                   title, path.parent_path()},
                  options, time);
  if (!one) return one.error();
  return Writer(std::move(*one));
}

Result<Writer> Writer::open(std::unique_ptr<RecordSink> sink, const WriterOptions& options,
                            const TimeSource& time) {
  if (!options.rotation.is_never())
    return Error{ErrorKind::kUsage, "a recording in parts needs a path; this one goes elsewhere"};
  EP_TRY(auto one,
         Parts::open(
             {[&]() -> Result<std::unique_ptr<RecordSink>> { return std::move(sink); }, "", {}},
             options, time));
  return Writer(std::move(one));
}

Writer::Writer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Writer::Writer(Writer&&) noexcept = default;

Writer& Writer::operator=(Writer&& other) noexcept {
  if (this != &other) {
    if (parts_) (void)close();
    parts_ = std::move(other.parts_);
  }
  return *this;
}

Writer::~Writer() {
  if (parts_) (void)close();
}

Result<ChannelId> Writer::add_channel(const Channel& channel) {
  return parts_->add_channel(channel);
}

Status Writer::metadata(const std::string& name, const std::map<std::string, std::string>& values) {
  return parts_->metadata(name, values);
}

[[gnu::hot]] bool Writer::put(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns,
                              const StridedBytes& values, Error& why) {
  Parts& p = *parts_;
  if (!p.is_one()) return put_into_part(p, channel, frame, time_ns, values, why);
  return p.part().write({channel, Part::Kind::kTensor, frame, time_ns, values}, why);
}

Status Writer::write(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns,
                     const StridedBytes& values) {
  Error why;
  if (put(channel, frame, time_ns, values, why)) return {};
  return why;
}

void Writer::expect_frame(std::uint64_t bytes) { parts_->expect_frame(bytes); }

Status Writer::frame(const FrameRecord& record) {
  Parts& p = *parts_;
  return p.is_one() ? p.part().frame(record) : put_into_part(p, record);
}

Status Writer::stream(const std::string& topic, std::uint64_t time_ns, const std::string& json) {
  Parts& p = *parts_;
  if (p.is_one()) return p.part().stream(topic, time_ns, json);
  EP_TRY(const auto entered, p.enter_event(json.size()));
  return p.part().stream(topic, time_ns, json);
}

Status Writer::flush() {
  Parts& p = *parts_;
  if (p.is_one()) return p.part().flush();
  EP_TRY(const auto entered, p.enter());
  return p.part().flush();
}

bool Writer::has_failed() const { return parts_->has_failed(); }
WriterStatistics Writer::statistics() const { return parts_->statistics(); }
std::uint64_t Writer::unseen_bytes() const { return parts_->unseen_bytes(); }

WrittenFiles Writer::files() const {
  auto [paths, removed] = parts_->files();
  return {std::move(paths), removed};
}

Result<WriterStatistics> Writer::close() { return parts_->close(); }

}  // namespace edgeprobe::trace
