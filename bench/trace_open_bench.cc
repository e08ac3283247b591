// SPDX-License-Identifier: Apache-2.0
// The time to open a trace by its indexes, and by walking over every message: CPU time from
// the page cache, and wall time with a cold one. trace_open_bench [FOLDER] [MESSAGES...] (default:
// the current folder, 100000 and 1000000)
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "trace/read/reader.h"
#include "trace/record/writer.h"

namespace {

using namespace edgeprobe;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 9, kColdRounds = 5;

void must(bool good, const std::string& what) {
  if (good) return;
  std::fprintf(stderr, "trace_open_bench: %s\n", what.c_str());
  std::exit(1);
}

struct Kind {
  const char* name;
  std::size_t tensors, tensor_bytes;  // tensors of a frame; its record is one further message
};

void write_trace(const std::filesystem::path& path, const Kind& kind, std::uint32_t frames) {
  auto writer = trace::Writer::open(path, {}, true);
  must(writer.has_value(), "open");
  std::vector<trace::ChannelId> ids;
  for (std::size_t t = 0; t < kind.tensors; ++t) {
    trace::Channel channel;
    channel.spec = {"layer" + std::to_string(t),
                    DType::kUInt8,
                    {static_cast<std::int64_t>(kind.tensor_bytes)},
                    {}};
    ids.push_back(*writer->add_channel(channel));
  }
  const Bytes tensor(kind.tensor_bytes, std::byte{7});
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    for (const trace::ChannelId id : ids)
      must(writer->write(id, frame, frame, tensor).has_value(), "write");
    must(writer
             ->frame({frame, frame, "val/class/" + std::to_string(frame) + ".png",
                      std::string(64, '0'), 3, 123456})
             .has_value(),
         "frame");
  }
  const auto closed = writer->close();
  must(closed.has_value(), closed ? "" : closed.error().what);
}

void drop_from_cache(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ::fsync(fd);
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  ::close(fd);
}

double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Seconds of this thread's CPU time, or of wall time with `wall`.
double open_once(const std::filesystem::path& path, bool use_index, std::uint32_t frames,
                 bool wall) {
  trace::ReaderOptions options;
  options.use_index = use_index;
  const auto start = Clock::now();
  const double cpu = cpu_seconds();
  const auto reader = trace::Reader::open(path, options);
  const double seconds =
      wall ? std::chrono::duration<double>(Clock::now() - start).count() : cpu_seconds() - cpu;
  must(reader && reader->problems().empty() && reader->frames().size() == frames,
       "the trace is not what was written");
  return seconds;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
  std::vector<std::size_t> sizes{100'000, 1'000'000};
  if (argc > 2) sizes.clear();
  for (int i = 2; i < argc; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  const auto path = folder / "trace_open_bench.mcap";
  std::printf("%-34s %10s %8s %8s   %22s %22s\n", "a frame", "messages", "frames", "MB",
              "by index: CPU, cold", "by messages: CPU, cold");
  for (const Kind& kind : {Kind{"2 tensors of 1 KB", 2, 1000}, Kind{"65 layers of 4 KB", 65, 4000}})
    for (const std::size_t messages : sizes) {
      const auto frames = static_cast<std::uint32_t>(messages / (kind.tensors + 1));
      write_trace(path, kind, frames);
      // by index and by messages, alternating, so that both run under the same load
      std::vector<double> warm[2], cold[2];
      for (const bool use_index : {true, false}) open_once(path, use_index, frames, false);
      for (int round = 0; round < kRounds; ++round)
        for (const bool use_index : {true, false}) {
          warm[!use_index].push_back(open_once(path, use_index, frames, false));
          if (round >= kColdRounds) continue;
          drop_from_cache(path);
          cold[!use_index].push_back(open_once(path, use_index, frames, true));
        }
      double seconds[4];
      for (const std::size_t way : {0, 1}) {
        seconds[2 * way] = median(warm[way]);
        seconds[2 * way + 1] = median(cold[way]);
      }
      std::printf("%-34s %10zu %8u %8.0f   %9.1f ms, %7.1f ms %9.1f ms, %7.1f ms\n", kind.name,
                  messages, frames, static_cast<double>(std::filesystem::file_size(path)) * 1e-6,
                  seconds[0] * 1e3, seconds[1] * 1e3, seconds[2] * 1e3, seconds[3] * 1e3);
      std::filesystem::remove(path);
    }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf("largest memory of the whole run: %.0f MB\n",
              static_cast<double>(usage.ru_maxrss) * 1e-3);
  return 0;
}
