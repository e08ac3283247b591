// SPDX-License-Identifier: Apache-2.0
#include "cold.h"

#include <cstdio>

#include "application.h"

namespace {

constexpr int kFrames = 300;
constexpr std::uint64_t kInference = 8'000'000;
// larger than a core's caches; one byte of each page is read, then the next ones
constexpr std::size_t kOther = std::size_t{16} << 20;

void infer(const std::vector<unsigned char>& other, unsigned round) {
  volatile unsigned char read = 0;
  for (const std::uint64_t end = now_ns() + kInference; now_ns() < end;)
    for (std::size_t i = 0; i < other.size() / 64; i += 64)
      read = other[(i * 64 + round) % other.size()];
  (void)read;
}

}  // namespace

void time_cold_frames(const std::string& path) {
  const char* const names[] = {"begin", "tensor", "start, stop", "end", "frame"};
  std::printf("%-10s %-12s %9s %9s %9s %9s   us, caches cold\n", "input", "call", "p10", "p50",
              "p90", "p99");
  std::vector<unsigned char> other(kOther, 1);
  for (const std::size_t size : {48u, 1960u, 27648u, 150528u}) {
    edgeprobe_probe* const probe = open_probe(path);
    Tensor input(EDGEPROBE_STAGE_MODEL_INPUT, "input", size);
    std::vector<double> times[5];
    for (int i = 0; i < kFrames; ++i) {
      infer(other, static_cast<unsigned>(i));
      // the picture of a camera is in the cache
      for (std::size_t k = 0; k < size; k += 64) input.bytes[k] = static_cast<unsigned char>(i);
      std::uint64_t at[5];
      edgeprobe_frame* frame = nullptr;
      at[0] = now_ns();
      edgeprobe_frame_begin(probe, &frame);
      at[1] = now_ns();
      edgeprobe_log_tensor(frame, input.get());
      at[2] = now_ns();
      edgeprobe_frame_start(frame);
      edgeprobe_frame_stop(frame);
      at[3] = now_ns();
      edgeprobe_frame_end(frame);
      at[4] = now_ns();
      for (int k = 0; k < 4; ++k) times[k].push_back(static_cast<double>(at[k + 1] - at[k]) / 1000);
      times[4].push_back(static_cast<double>(at[4] - at[0]) / 1000);
    }
    edgeprobe_statistics s{};
    s.struct_size = sizeof s;
    edgeprobe_close(probe, &s);
    for (int k = 0; k < 5; ++k)
      std::printf("%-10zu %-12s %9.2f %9.2f %9.2f %9.2f%s\n", size, names[k],
                  percentile(times[k], .1), percentile(times[k], .5), percentile(times[k], .9),
                  percentile(times[k], .99), s.dropped_frames ? "  (frames were dropped)" : "");
  }
}
