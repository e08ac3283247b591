// SPDX-License-Identifier: Apache-2.0
#include "probe/probe.h"

#include <cstdio>
#include <ctime>

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

Options settled(Options options) {
  if (options.part_bytes && options.newest_parts && options.total_bytes == kDefaultTotalBytes)
    options.total_bytes = 0;
  return options;
}

}  // namespace

Result<std::unique_ptr<Probe>> Probe::open(const std::filesystem::path& path,
                                           const Options& given) {
  const Options options = settled(given);
  auto sink = Sink::open(path, options);
  if (!sink) return sink.error();
  std::unique_ptr<Probe> probe(new Probe(options, std::move(*sink)));
  auto done = probe->recorder_.sink.metadata(
      "edgeprobe.run", {{"tool", "edgeprobe " EDGEPROBE_VERSION},
                        {"level", name(options.level)},
                        {"started", iso_time(probe->recorder_.clock.now_ns())}});
  if (!done) return done.error();
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
  // What a full queue had to drop was logged, and is not in the file.
  const trace::WriterStatistics written = recorder_.sink.statistics();
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
  const auto closed = recorder_.sink.close();
  if (!closed) return closed.error();
  return out;
}

}  // namespace edgeprobe::probe
