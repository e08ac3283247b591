// SPDX-License-Identifier: Apache-2.0
// The cost of tracing for the caller, and the speed of writing and reading traces, each next to a
// plain way in the same run. trace_bench [FOLDER] (default: the current one; not a RAM disk, which
// is slower).
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "trace/mcap/crc32.h"
#include "trace/read/reader.h"
#include "trace/record/writer.h"

namespace {

using namespace edgeprobe;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kFrameBytes = 28'190'000;  // all layers of a MobileNet v2, float
constexpr std::size_t kTensors = 66;
constexpr std::size_t kTensorBytes = kFrameBytes / kTensors / 4 * 4;
constexpr std::uint32_t kFrames = 6;
constexpr double kTotal = static_cast<double>(kTensorBytes) * kTensors * kFrames;
constexpr int kRounds = 9;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

double own_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void fail(const std::string& what) {
  std::fprintf(stderr, "trace_bench: %s\n", what.c_str());
  std::exit(1);
}

template <class T>
T must(Result<T> result) {
  if (!result) fail(result.error().what);
  return std::move(*result);
}
void must(Status status) {
  if (!status) fail(status.error().what);
}

struct Quantiles {
  double p50, p90, p99;
};
Quantiles quantiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double q) {
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
  };
  return {at(0.5), at(0.9), at(0.99)};
}

Bytes filled(std::size_t size) {
  Bytes bytes(size);
  std::uint64_t state = 1;
  for (std::byte& byte : bytes) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    byte = static_cast<std::byte>(state >> 56);
  }
  return bytes;
}

void print_machine() {
  std::ifstream info("/proc/cpuinfo");
  std::string line, model = "?";
  while (std::getline(info, line))
    if (line.rfind("model name", 0) == 0) model = line.substr(line.find(':') + 2);
  double load[3] = {};
  if (::getloadavg(load, 3) < 1) load[0] = -1;
  std::printf("machine: %s, %u cores, load %.1f; CRC by %s\n\n", model.c_str(),
              std::thread::hardware_concurrency(), load[0], trace::crc32_kernels().back().name);
}

// Nanoseconds of each call; short ones are timed in batches.
std::vector<double> call_times(std::size_t size,
                               const std::function<void(std::size_t call)>& call) {
  const std::size_t batch = size <= 4096 ? 32 : 1;
  const std::size_t samples = size <= 4096 ? 4000 : size <= 200'000 ? 3000 : 600;
  std::vector<double> times;
  std::size_t since_pause = 0, number = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    const auto start = Clock::now();
    for (std::size_t j = 0; j < batch; ++j) call(number++);
    times.push_back(seconds_since(start) * 1e9 / static_cast<double>(batch));
    since_pause += batch * (size + 31);
    // the writer must keep up, because this benchmark is not about a full ring buffer
    if (since_pause > (std::size_t{4} << 20)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(4));
      since_pause = 0;
    }
  }
  return times;
}

void bench_caller(const std::filesystem::path& folder) {
  std::printf("one write() of a tensor that is in the cache, ns\n");
  std::printf("%10s %30s %34s %8s\n", "bytes", "trace p50 / p90 / p99",
              "memcpy to a cold place p50 / p90", "ratio");
  constexpr std::size_t kCold = std::size_t{64} << 20;
  Bytes cold(kCold);
  std::vector<double> empty;
  for (int i = 0; i < 1000; ++i) {
    const auto start = Clock::now();
    empty.push_back(seconds_since(start) * 1e9);
  }
  const double timer = quantiles(empty).p50;
  for (const std::size_t size : {48u, 512u, 1920u, 12'288u, 150'528u, 602'112u, 1'605'632u}) {
    const auto path = folder / "trace_bench.mcap";
    auto writer = must(trace::Writer::open(path, {}, true));
    trace::Channel channel;
    channel.spec = {"x", DType::kUInt8, {static_cast<std::int64_t>(size)}, {}};
    const auto id = must(writer.add_channel(channel));
    const Bytes tensor = filled(size);
    const auto written = call_times(size, [&](std::size_t call) {
      must(writer.write(id, static_cast<std::uint32_t>(call), call, tensor));
    });
    must(writer.close());
    std::filesystem::remove(path);
    std::size_t at = 0;
    const auto copied = call_times(size, [&](std::size_t) {
      if (at + size > kCold) at = 0;
      std::memcpy(cold.data() + at, tensor.data(), size);
      at += size + 31;
    });
    const double off = size <= 4096 ? timer / 32 : timer;
    const Quantiles w = quantiles(written), c = quantiles(copied);
    std::printf("%10zu %10.0f / %7.0f / %8.0f %20.0f / %9.0f %9.2f   (%.1f GB/s)\n", size,
                w.p50 - off, w.p90 - off, w.p99 - off, c.p50 - off, c.p90 - off,
                (w.p50 - off) / (c.p50 - off), static_cast<double>(size) / (w.p50 - off));
  }
  std::printf("\n");
}

int new_file(const std::filesystem::path& path) {
  std::filesystem::remove(path);
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) fail("cannot create " + path.string());
  return fd;
}

void write_trace(const std::filesystem::path& path, const Bytes& frame) {
  auto writer = must(trace::Writer::open(path, {}, true));
  std::vector<trace::ChannelId> ids;
  for (std::size_t t = 0; t < kTensors; ++t) {
    trace::Channel channel;
    channel.spec = {"layer" + std::to_string(t),
                    DType::kFloat32,
                    {static_cast<std::int64_t>(kTensorBytes / 4)},
                    {}};
    ids.push_back(must(writer.add_channel(channel)));
  }
  for (std::uint32_t f = 0; f < kFrames; ++f)
    for (std::size_t t = 0; t < kTensors; ++t)
      must(writer.write(ids[t], f, f, ByteView(frame).sub(t * kTensorBytes, kTensorBytes)));
  must(writer.close());
}

void write_mapped(const std::filesystem::path& path, const Bytes& frame) {
  const int fd = new_file(path);
  if (::ftruncate(fd, static_cast<off_t>(kTotal)) != 0) fail("ftruncate");
  void* const map =
      ::mmap(nullptr, static_cast<std::size_t>(kTotal), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) fail("mmap");
  for (std::uint32_t f = 0; f < kFrames; ++f)
    std::memcpy(static_cast<char*>(map) + f * kTensorBytes * kTensors, frame.data(),
                kTensorBytes * kTensors);
  ::munmap(map, static_cast<std::size_t>(kTotal));
  ::close(fd);
}

void write_plainly(const std::filesystem::path& path, const Bytes& frame, bool reserve) {
  const int fd = new_file(path);
  if (reserve && ::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(kTotal)) != 0)
    fail("fallocate");
  constexpr std::size_t kBlock = std::size_t{4} << 20;
  for (std::uint32_t f = 0; f < kFrames; ++f)
    for (std::size_t at = 0; at < kTensorBytes * kTensors; at += kBlock) {
      const std::size_t size = std::min(kBlock, kTensorBytes * kTensors - at);
      if (::write(fd, frame.data() + at, size) != static_cast<ssize_t>(size)) fail("write");
    }
  ::close(fd);
}

double touch(ByteView bytes) {  // reads every cache line
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at + 8 <= bytes.size; at += 64) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data + at, 8);
    sum += word;
  }
  return static_cast<double>(sum);
}

void read_trace(const std::filesystem::path& path, bool verify) {
  trace::ReaderOptions options;
  options.verify_checksums = verify;
  const auto reader = must(trace::Reader::open(path, options));
  [[maybe_unused]] static volatile double sink;
  double sum = 0;
  must(reader.visit([&](const trace::ReadChannel&, std::uint32_t, std::uint64_t, ByteView bytes) {
    sum += touch(bytes);
    return Status();
  }));
  sink = sum;
  if (!reader.problems().empty()) fail(reader.problems().front());
}

void read_plainly(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  static Bytes buffer(std::size_t{1} << 20);
  [[maybe_unused]] static volatile double sink;
  double sum = 0;
  while (true) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got <= 0) break;
    sum += touch(ByteView(buffer).sub(0, static_cast<std::size_t>(got)));
  }
  sink = sum;
  ::close(fd);
}

struct Way {
  const char* name;
  std::function<void()> run;
  // removed after each run, so that its write-back does not disturb the next way
  std::filesystem::path result;
  // GB/s, and GB per CPU-second of all threads and of all except the calling thread
  std::vector<double> wall, cpu, background;
};

void bench_ways(const char* title, std::vector<Way> ways) {
  std::printf("%s: %.0f MB, %d interleaved rounds, medians (lowest to highest)\n", title,
              kTotal * 1e-6, kRounds);
  for (int round = -1; round < kRounds; ++round)  // the first one warms up
    for (Way& way : ways) {
      const double cpu = cpu_seconds(), own = own_cpu_seconds();
      const auto start = Clock::now();
      way.run();
      const double wall_used = seconds_since(start), cpu_used = cpu_seconds() - cpu,
                   others = cpu_used - (own_cpu_seconds() - own);
      if (!way.result.empty()) std::filesystem::remove(way.result);
      if (round < 0) continue;
      way.wall.push_back(kTotal * 1e-9 / wall_used);
      way.cpu.push_back(kTotal * 1e-9 / cpu_used);
      if (others > 0.1 * cpu_used) way.background.push_back(kTotal * 1e-9 / others);
    }
  const double first = quantiles(ways[0].wall).p50, first_cpu = quantiles(ways[0].cpu).p50;
  for (const Way& way : ways) {
    const auto [low, high] = std::minmax_element(way.wall.begin(), way.wall.end());
    const double wall = quantiles(way.wall).p50, cpu = quantiles(way.cpu).p50;
    std::printf(
        "  %-36s %5.2f GB/s (%.2f to %.2f), %5.2f GB per CPU-s; trace is %.2f times that (%.2f by "
        "CPU)\n",
        way.name, wall, *low, *high, cpu, first / wall, first_cpu / cpu);
    if (!way.background.empty())
      std::printf("  %-36s %5.2f GB per CPU-s\n", "  its background thread alone",
                  quantiles(way.background).p50);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
  print_machine();
  bench_caller(folder);
  const Bytes frame = filled(kFrameBytes);
  const auto path = folder / "trace_bench.mcap", other = folder / "trace_bench.bin";
  bench_ways("writing",
             {{"trace (with CRC)", [&] { write_trace(path, frame); }, path, {}, {}, {}},
              {"memcpy into a mapped file", [&] { write_mapped(other, frame); }, other, {}, {}, {}},
              {"write(2), 4 MiB", [&] { write_plainly(other, frame, false); }, other, {}, {}, {}},
              {"write(2), 4 MiB, reserved before",
               [&] { write_plainly(other, frame, true); },
               other,
               {},
               {},
               {}}});
  write_trace(path, frame);
  bench_ways("reading from the page cache",
             {{"trace, CRC checked", [&] { read_trace(path, true); }, {}, {}, {}, {}},
              {"trace, CRC not checked", [&] { read_trace(path, false); }, {}, {}, {}, {}},
              {"read(2), 1 MiB", [&] { read_plainly(path); }, {}, {}, {}, {}}});
  std::filesystem::remove(path);
  std::filesystem::remove(other);
  return 0;
}
