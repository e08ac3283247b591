// SPDX-License-Identifier: Apache-2.0
// The cost of a probe for its application, next to that of a plain memcpy of the same bytes.
// Medians of interleaved blocks.
//
//   probe_bench FOLDER                          calls, frames, memory
//   probe_bench FOLDER other                    answers and sound, next to tensors of as many bytes
//   probe_bench FOLDER cold                     a frame after an inference that has taken all
//   caches probe_bench FOLDER call BYTES COUNT         nothing else: for `valgrind --tool=callgrind
//   --toggle-collect=edgeprobe_log_tensor` probe_bench FOLDER model LIST LEVEL COUNT   frames of a
//   model's tensors: for bench/probe/instructions.py
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "edgeprobe.h"
#include "probe/application.h"
#include "probe/cold.h"
#include "probe/model_frames.h"

namespace {

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

// One call at a time; the clock's own cost is subtracted.
void time_calls(const std::string& path) {
  double clock_cost;
  {
    std::vector<double> costs;
    for (int i = 0; i < 2000; ++i) {
      const auto a = now_ns(), b = now_ns();
      costs.push_back(static_cast<double>(b - a));
    }
    clock_cost = percentile(costs, .5);
  }
  std::printf("%-10s %12s %12s %12s %12s %8s\n", "bytes", "tensor p50", "tensor p90", "memcpy p50",
              "GB/s", "ratio");
  for (const std::size_t size :
       {4u, 48u, 1024u, 1960u, 12288u, 27648u, 150528u, 602112u, 1605632u}) {
    edgeprobe_probe* const probe = open_probe(path);
    Tensor tensor(EDGEPROBE_STAGE_MODEL_INPUT, "input", size);
    // A target that is as cold as the probe's ring buffer: it is larger than the caches.
    std::vector<unsigned char> ring(std::size_t{64} << 20);
    std::size_t at = 0;
    std::vector<double> calls, copies;
    const int rounds = static_cast<int>(
        std::clamp<std::size_t>((std::size_t{192} << 20) / (size + 200), 100, 4000));
    for (int i = 0; i < rounds; ++i) {
      edgeprobe_frame* frame = nullptr;
      edgeprobe_frame_begin(probe, &frame);
      volatile unsigned char touched = 0;
      for (std::size_t k = 0; k < size; k += 64) touched = tensor.bytes[k];
      (void)touched;
      auto a = now_ns();
      edgeprobe_log_tensor(frame, tensor.get());
      auto b = now_ns();
      if (i >= 20) calls.push_back(static_cast<double>(b - a) - clock_cost);
      edgeprobe_frame_end(frame);
      if (at + size > ring.size()) at = 0;
      a = now_ns();
      std::memcpy(ring.data() + at, tensor.bytes.data(), size);
      asm volatile("" : : "r"(ring.data()) : "memory");
      b = now_ns();
      at += size;
      if (i >= 20) copies.push_back(static_cast<double>(b - a) - clock_cost);
      if (size > 10000)
        edgeprobe_flush(probe);  // this benchmark is not about the speed of the disk
    }
    edgeprobe_statistics s{};
    s.struct_size = sizeof s;
    edgeprobe_close(probe, &s);
    const double call = percentile(calls, .5), copy = percentile(copies, .5);
    std::printf("%-10zu %9.0f ns %9.0f ns %9.0f ns %12.1f %8.2f%s\n", size, call,
                percentile(calls, .9), copy, static_cast<double>(size) / call,
                call / std::max(copy, 1.0), s.dropped_frames ? "  (frames were dropped)" : "");
  }
}

// Calls without a tensor struct, next to a tensor of as many bytes in the same frame.
void time_other_calls(const std::string& path) {
  const char* const labels[] = {"tabby cat", "tiger cat", "Egyptian cat", "lynx", "remote control"};
  const float scores[] = {0.62f, 0.21f, 0.08f, 0.03f, 0.01f};
  edgeprobe_answer answer{};
  answer.struct_size = sizeof answer;
  answer.parts = EDGEPROBE_ANSWER_LABELS | EDGEPROBE_ANSWER_SCORES;
  answer.count = 5;
  answer.labels = labels;
  answer.scores = scores;
  const std::vector<std::int16_t> samples(512, 7);
  constexpr std::size_t kAnswerBytes = 1 + 12 + 5 * 4 + 48 + 12 + 20, kChunk = 512 * 2;
  Tensor as_answer(EDGEPROBE_STAGE_MODEL_OUTPUT, "scores", kAnswerBytes),
      as_audio(EDGEPROBE_STAGE_MODEL_INPUT, "input", kChunk);
  std::vector<double> clock, costs[4];
  edgeprobe_probe* const probe = open_probe(path, EDGEPROBE_LEVEL_IO, EDGEPROBE_RAW_ALL);
  for (int i = 0; i < 20'000; ++i) {
    edgeprobe_frame* frame = nullptr;
    edgeprobe_frame_begin(probe, &frame);
    const std::uint64_t t0 = now_ns(), t1 = now_ns();
    edgeprobe_log_audio(frame, "microphone", EDGEPROBE_INT16, samples.data(), 512, 1, 16'000);
    const std::uint64_t t2 = now_ns();
    edgeprobe_log_tensor(frame, as_audio.get());
    const std::uint64_t t3 = now_ns();
    edgeprobe_log_tensor(frame, as_answer.get());
    const std::uint64_t t4 = now_ns();
    edgeprobe_log_answer(frame, &answer);
    const std::uint64_t t5 = now_ns();
    edgeprobe_frame_end(frame);
    if (i % 100 == 0) edgeprobe_flush(probe);
    if (i < 100) continue;
    clock.push_back(static_cast<double>(t1 - t0));
    costs[0].push_back(static_cast<double>(t5 - t4));
    costs[1].push_back(static_cast<double>(t4 - t3));
    costs[2].push_back(static_cast<double>(t2 - t1));
    costs[3].push_back(static_cast<double>(t3 - t2));
  }
  edgeprobe_close(probe, nullptr);
  const double clock_cost = percentile(clock, .5);
  double median[4];
  for (int k = 0; k < 4; ++k) median[k] = percentile(costs[k], .5) - clock_cost;
  std::printf("%-34s %9s %16s %8s\n", "call", "p50", "tensor, as many", "ratio");
  std::printf("%-34s %6.0f ns %13.0f ns %8.2f\n", "answer of 5 labels and scores", median[0],
              median[1], median[0] / std::max(median[1], 1.0));
  std::printf("%-34s %6.0f ns %13.0f ns %8.2f\n", "sound, 512 samples of int16", median[2],
              median[3], median[2] / std::max(median[3], 1.0));
}

// A frame as an application logs it: start, stop, an input, an output.
void time_frames(const std::string& path) {
  std::printf("\n%-10s %12s %12s %14s %16s\n", "input", "frame p50", "frame p90", "background",
              "bytes a frame");
  for (const std::size_t size : {1960u, 12288u, 27648u, 150528u}) {
    edgeprobe_probe* const probe = open_probe(path);
    Tensor input(EDGEPROBE_STAGE_MODEL_INPUT, "input", size),
        output(EDGEPROBE_STAGE_MODEL_OUTPUT, "scores", 48);
    std::vector<double> frames;
    const int count = size > 100000 ? 2000 : 5000;
    const auto process = now_ns(CLOCK_PROCESS_CPUTIME_ID), thread = now_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < count; ++i) {
      const auto a = now_ns();
      edgeprobe_frame* frame = nullptr;
      edgeprobe_frame_begin(probe, &frame);
      edgeprobe_log_tensor(frame, input.get());
      edgeprobe_frame_start(frame);
      edgeprobe_frame_stop(frame);
      edgeprobe_log_tensor(frame, output.get());
      edgeprobe_frame_end(frame);
      const auto b = now_ns();
      if (i >= 20) frames.push_back(static_cast<double>(b - a));
      const auto until = b + std::max<std::uint64_t>(50'000, size * 10);  // the engine's part
      while (now_ns() < until) {
      }
    }
    edgeprobe_flush(probe);
    const double background = static_cast<double>((now_ns(CLOCK_PROCESS_CPUTIME_ID) - process) -
                                                  (now_ns(CLOCK_THREAD_CPUTIME_ID) - thread)) /
                              count;
    edgeprobe_statistics s{};
    s.struct_size = sizeof s;
    edgeprobe_close(probe, &s);
    const double bytes = static_cast<double>(std::filesystem::file_size(path)) / count;
    std::printf("%-10zu %9.0f ns %9.0f ns %11.2f us %10.0f (payload + %.0f)%s\n", size,
                percentile(frames, .5), percentile(frames, .9), background / 1000, bytes,
                bytes - static_cast<double>(size + 48),
                s.dropped_frames ? "  (frames were dropped)" : "");
  }
}

void measure_memory(const std::string& path) {
  std::printf("\n%-22s %14s %14s\n", "frame", "memory added", "beyond a frame");
  for (const std::size_t size : {1960u, 150528u, 4u << 20, 28u << 20}) {
    Tensor tensor(EDGEPROBE_STAGE_MODEL_INPUT, "input", size);
    const double before = resident_bytes();
    double most = 0;
    edgeprobe_probe* const probe = open_probe(path);
    for (int i = 0; i < 40; ++i) {
      edgeprobe_frame* frame = nullptr;
      edgeprobe_frame_begin(probe, &frame);
      edgeprobe_log_tensor(frame, tensor.get());
      edgeprobe_frame_end(frame);
      most = std::max(most, resident_bytes());
      ::usleep(2000);
    }
    edgeprobe_close(probe, nullptr);
    std::printf("one tensor of %-10zu %11.2f MB %11.2f MB\n", size, (most - before) / 1e6,
                (most - before - static_cast<double>(size)) / 1e6);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "", mode = argc > 2 ? argv[2] : "",
                    path = folder + "/probe_bench.mcap";
  if (argc == 5 && mode == "call") {
    Tensor tensor(EDGEPROBE_STAGE_MODEL_INPUT, "input",
                  static_cast<std::size_t>(std::atoll(argv[3])));
    edgeprobe_probe* const probe = open_probe(path);
    for (long i = std::atol(argv[4]); i > 0; --i) {
      edgeprobe_frame* frame = nullptr;
      edgeprobe_frame_begin(probe, &frame);
      edgeprobe_log_tensor(frame, tensor.get());
      edgeprobe_frame_end(frame);
      if (i % 200 == 0) edgeprobe_flush(probe);  // valgrind runs one thread at a time
    }
    edgeprobe_close(probe, nullptr);
  } else if (argc == 6 && mode == "model") {
    log_frames(path, argv[3], std::atoi(argv[4]), std::atol(argv[5]));
  } else if (argc == 3 && mode == "cold") {
    time_cold_frames(path);
  } else if (argc == 3 && mode == "other") {
    time_other_calls(path);
  } else if (argc == 2) {
    measure_memory(
        path);  // measured first, because memory that the process frees later would hide the growth
    std::printf("\n");
    time_calls(path);
    time_frames(path);
  } else {
    std::fprintf(
        stderr,
        "usage: probe_bench FOLDER [cold | other | call BYTES COUNT | model LIST LEVEL COUNT]\n");
    return 2;
  }
  std::filesystem::remove(path);
}
