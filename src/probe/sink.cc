// SPDX-License-Identifier: Apache-2.0
#include "probe/sink.h"

#include <algorithm>
#include <limits>

namespace edgeprobe::probe {
namespace {

trace::WriterOptions writer_options(const Options& options) {
  trace::WriterOptions out;
  // Small: it is memory of the application. It grows to the largest frame.
  out.ring_bytes = std::size_t{768} << 10;
  out.ring_most = std::size_t{1} << (sizeof(std::size_t) == 8 ? 30 : 27);
  out.ring_slots = 4096;
  // Written long before the ring is full, so that a thread which waits for a processor loses no
  // frame.
  out.chunk_bytes = std::size_t{256} << 10;
  out.most_bytes = options.total_bytes;
  out.flush_ms =
      static_cast<int>(std::min<std::uint32_t>(options.flush_ms, std::numeric_limits<int>::max()));
  out.when_full = options.wait_when_full ? trace::WhenFull::kBlock : trace::WhenFull::kDropFrame;
  out.longest_wait = std::chrono::milliseconds(2);
  return out;
}

}  // namespace

Result<Sink> Sink::open(const std::filesystem::path& path, const Options& options) {
  Sink sink;
  if (options.part_bytes) {
    trace::Rotation rotation;
    rotation.part_bytes = options.part_bytes;
    rotation.newest_parts = options.newest_parts;
    auto opened = trace::RotatingWriter::open(path, rotation, writer_options(options));
    if (!opened) return opened.error();
    sink.parts_.emplace(std::move(*opened));
  } else {
    auto opened = trace::Writer::open(path, writer_options(options));
    if (!opened) return opened.error();
    sink.one_.emplace(std::move(*opened));
  }
  return sink;
}

Result<trace::ChannelId> Sink::add_channel(const trace::Channel& channel) {
  return one_ ? one_->add_channel(channel) : parts_->add_channel(channel);
}

Status Sink::metadata(const std::string& name, const std::map<std::string, std::string>& values) {
  return one_ ? one_->metadata(name, values) : parts_->metadata(name, values);
}

Status Sink::series(const std::string& topic, std::uint64_t time_ns, const std::string& json) {
  return one_ ? one_->series(topic, time_ns, json) : parts_->series(topic, time_ns, json);
}

void Sink::expect_frame(std::uint64_t bytes) {
  if (one_) one_->expect_frame(bytes);
  else parts_->expect_frame(bytes);
}

Status Sink::flush() { return one_ ? one_->flush() : parts_->flush(); }

Result<trace::WriterStatistics> Sink::close() {
  if (one_) return one_->close();
  const auto closed = parts_->close();
  if (!closed) return closed.error();
  return closed->written;
}

}  // namespace edgeprobe::probe
