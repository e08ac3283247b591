// SPDX-License-Identifier: Apache-2.0
#include "probe/probe.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>

namespace edgeprobe::probe {
namespace {

std::string iso_time(std::uint64_t time_ns) {
  const auto seconds = static_cast<std::time_t>(time_ns / 1'000'000'000u);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[40];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02dZ", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  return text;
}

trace::WriterOptions writer_options(const Options& options) {
  trace::WriterOptions out;
  // Small, since it is the application's memory. It grows to the largest frame.
  out.ring_bytes = std::size_t{768} << 10;
  out.ring_most = std::size_t{1} << (sizeof(std::size_t) == 8 ? 30 : 27);
  out.ring_slots = 4096;
  // Chunks are written long before the ring is full, so that a thread that waits for a processor
  // loses no frame.
  out.chunk_bytes = std::size_t{256} << 10;
  out.most_bytes = options.total_bytes;
  out.flush_ms =
      static_cast<int>(std::min<std::uint32_t>(options.flush_ms, std::numeric_limits<int>::max()));
  out.when_full = options.wait_when_full ? trace::WhenFull::kBlock : trace::WhenFull::kDropFrame;
  out.longest_wait = std::chrono::milliseconds(2);
  out.rotation.part_bytes = options.part_bytes;
  out.rotation.newest_parts = options.newest_parts;
  return out;
}

Options settled(Options options) {
  if (options.part_bytes && options.newest_parts && options.total_bytes == kDefaultTotalBytes)
    options.total_bytes = 0;
  return options;
}

}  // namespace

Result<std::unique_ptr<Probe>> Probe::open(const std::filesystem::path& path,
                                           const Options& given) {
  const Options options = settled(given);
  return start(trace::Writer::open(path, writer_options(options)), options, nullptr);
}

Result<std::unique_ptr<Probe>> Probe::open(std::unique_ptr<trace::RecordSink> sink,
                                           const Options& given, const TimeSource* time) {
  const Options options = settled(given);
  return start(
      trace::Writer::open(std::move(sink), writer_options(options), time ? *time : system_time()),
      options, time);
}

Result<std::unique_ptr<Probe>> Probe::start(Result<trace::Writer> writer, const Options& options,
                                            const TimeSource* time) {
  if (!writer) return writer.error();
  std::unique_ptr<Probe> probe(new Probe(options, std::move(*writer), time));
  EP_CHECK(probe->recorder_.writer.metadata(
      "edgeprobe.run", {{"tool", "edgeprobe " EDGEPROBE_VERSION},
                        {"level", name(options.level)},
                        {"started", iso_time(probe->recorder_.clock.now_ns())}}));
  return probe;
}

Frame& Probe::add_frame() {
  const std::lock_guard lock(mutex_);
  return frames_.emplace_back(recorder_);
}

bool Probe::begin(Frame& frame) {
  const std::uint64_t number = recorder_.frames.fetch_add(1, std::memory_order_relaxed);
  if (number > 0xffffffffu) {
    recorder_.frames.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  frame.begin(static_cast<std::uint32_t>(number));
  return true;
}

Statistics Probe::statistics() const {
  Counts::Values sum;
  {
    const std::lock_guard lock(mutex_);
    for (const Frame& frame : frames_) frame.counts().add_to(sum);
  }
  Statistics out;
  out.level = recorder_.level();
  out.frames = recorder_.frames.load(std::memory_order_relaxed);
  out.recorded_frames = sum.frames;
  out.tensors = sum.tensors;
  out.bytes = sum.bytes;
  out.time_ns = sum.time_ns + recorder_.outside_ns();
  // Messages dropped by a full queue were logged but are not in the file.
  const trace::WriterStatistics written = recorder_.writer.statistics();
  const auto without = [](std::uint64_t logged, std::uint64_t dropped) {
    return logged > dropped ? logged - dropped : 0;
  };
  out.dropped_frames = written.dropped_frames;
  out.recorded_frames = without(out.recorded_frames, written.dropped_frames);
  out.tensors = without(out.tensors, written.dropped_tensors);
  out.bytes = without(out.bytes, written.dropped_bytes);
  return out;
}

Result<Statistics> Probe::close() {
  const Statistics out = statistics();
  EP_CHECK(recorder_.writer.close());
  return out;
}

}  // namespace edgeprobe::probe
