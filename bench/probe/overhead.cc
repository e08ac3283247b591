// SPDX-License-Identifier: Apache-2.0
// The cost of the probe for an application on TensorFlow Lite: frames with and without it,
// alternating.
//   overhead LIBRARY FOLDER MODEL [--layers INSTRUMENTED OWN_OUTPUTS] [--threads N] [--rounds N]
//   [--block N] [--only WAY] [--parts]
// LIBRARY: with TensorFlow Lite's C API. The traces are written to FOLDER (on a disk, not a RAM
// disk). INSTRUMENTED: the result of `edgeprobe instrument` for MODEL. Each round runs a block of
// frames of every way, in an order that changes; a block's figure is the median of its frames.
// `again` is `bare` once more: its difference is the noise. `--only none|io|layers|bare` runs only
// one way and prints the memory of the process; with `--soak SECONDS` it runs that long and prints
// the memory ten times. `--parts`: what each part of a frame takes beyond that without a probe.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <random>
#include <thread>

#include "tflite_app.h"

namespace {

double now_us() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
double cpu_us() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}
/// 95 % interval of the median, by order statistics.
std::pair<double, double> interval(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  const auto low = static_cast<std::size_t>(std::max(0.0, n / 2 - 0.98 * std::sqrt(n) - 0.5));
  return {values[low], values[values.size() - 1 - low]};
}
double status_kb(const char* key) {
  std::FILE* const file = std::fopen("/proc/self/status", "r");
  char line[256];
  double kb = 0;
  while (file && std::fgets(line, sizeof line, file))
    if (std::strncmp(line, key, std::strlen(key)) == 0) kb = std::atof(line + std::strlen(key) + 1);
  if (file) std::fclose(file);
  return kb;
}

constexpr const char* kPartNames[] = {"begin", "set_input",  "start", "invoke",
                                      "stop",  "get_output", "end"};
constexpr std::size_t kParts = std::size(kPartNames);

/// One way to run a frame.
struct Way {
  std::string name;
  std::shared_ptr<TfliteApp> app;
  edgeprobe_probe* probe = nullptr;
  std::filesystem::path path;
  std::vector<double> wall, cpu;  ///< Of each round, per frame.
  std::vector<double> parts[kParts];

  /// Calls `lap(n)` after the n-th part.
  template <class Lap>
  void frame(const Lap& lap) {
    edgeprobe_frame* frame = nullptr;
    if (probe) edgeprobe_frame_begin(probe, &frame);
    lap(0);
    app->set_input();
    lap(1);
    if (probe) edgeprobe_tflite_start_with(frame, &app->api(), app->interpreter());
    lap(2);
    app->invoke();
    lap(3);
    if (probe) edgeprobe_tflite_stop_with(frame, &app->api(), app->interpreter());
    lap(4);
    app->get_output();
    lap(5);
    if (probe) edgeprobe_frame_end(frame);
    lap(6);
  }
  void frame() {
    frame([](std::size_t) {});
  }
  void round(int block) {
    std::vector<double> iterations;
    const double cpu_before = cpu_us();
    for (int i = 0; i < block; ++i) {
      const double before = now_us();
      frame();
      iterations.push_back(now_us() - before);
    }
    cpu.push_back((cpu_us() - cpu_before) / block);
    wall.push_back(median(iterations));
  }
  void round_in_parts(int block) {
    std::vector<double> laps[kParts];
    for (int i = 0; i < block; ++i) {
      double before = now_us();
      frame([&](std::size_t part) {
        const double now = now_us();
        laps[part].push_back(now - before);
        before = now_us();
      });
    }
    for (std::size_t i = 0; i < kParts; ++i) parts[i].push_back(median(laps[i]));
  }
};

constexpr int kNoProbe = -1;

Way make(const char* name, std::shared_ptr<TfliteApp> app, const std::filesystem::path& folder,
         int level, std::uint32_t own = 0) {
  Way way;
  way.name = name;
  way.app = std::move(app);
  if (level == kNoProbe) return way;
  way.path = folder / ("overhead_" + way.name + ".mcap");
  std::filesystem::remove(way.path);
  edgeprobe_options options;
  edgeprobe_options_init(&options);
  options.level = static_cast<edgeprobe_level>(level);
  options.own_outputs = own;
  if (edgeprobe_open(way.path.c_str(), &options, &way.probe) != EDGEPROBE_OK) {
    std::fprintf(stderr, "%s\n", edgeprobe_last_error());
    std::exit(1);
  }
  return way;
}

void report(const Way& way, const Way& bare) {
  std::vector<double> added, cpu_ratio;
  for (std::size_t i = 0; i < way.wall.size(); ++i) {
    added.push_back(way.wall[i] - bare.wall[i]);
    cpu_ratio.push_back(way.cpu[i] / bare.cpu[i]);
  }
  const double base = median(bare.wall), more = median(added);
  const auto [low, high] = interval(added);
  const auto [cpu_low, cpu_high] = interval(cpu_ratio);
  std::printf(
      "%-8s %10.1f us a frame  %+8.2f us [%+.2f, %+.2f]  %+6.2f %%  CPU of all threads x %.3f "
      "[%.3f, %.3f]\n",
      way.name.c_str(), median(way.wall), more, low, high, 100 * more / base, median(cpu_ratio),
      cpu_low, cpu_high);
}

/// Time of each part of a frame beyond that without a probe.
void report_parts(const Way& way, const Way& bare) {
  std::printf("%-8s", way.name.c_str());
  double all = 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    std::vector<double> added;
    for (std::size_t i = 0; i < way.parts[part].size(); ++i)
      added.push_back(way.parts[part][i] - bare.parts[part][i]);
    const auto [low, high] = interval(added);
    std::printf("  %s %+.2f [%+.2f, %+.2f]", kPartNames[part], median(added), low, high);
    all += median(added);
  }
  std::printf("  all %+.2f us\n", all);
}

void end(Way& way) {
  if (!way.probe) return;
  edgeprobe_statistics statistics{};
  statistics.struct_size = sizeof statistics;
  edgeprobe_close(way.probe, &statistics);
  const double frames = static_cast<double>(std::max<std::uint64_t>(1, statistics.frames));
  const double tensors = static_cast<double>(statistics.tensors) / frames,
               payload = static_cast<double>(statistics.bytes) / frames;
  const double size = static_cast<double>(std::filesystem::file_size(way.path)) / frames;
  std::printf(
      "%-8s %10.0f bytes a frame in the file: payload %.0f in %.1f tensors, %.0f beside it (bar: "
      "payload x 0.01 + 64 a tensor = %.0f); %llu of %.0f frames dropped; time in calls %.2f us a "
      "frame\n",
      way.name.c_str(), size, payload, tensors, size - payload, payload * 0.01 + 64 * tensors,
      static_cast<unsigned long long>(statistics.dropped_frames), frames,
      static_cast<double>(statistics.time_ns) / 1e3 / frames);
  std::filesystem::remove(way.path);
}

/// A frame each millisecond for `seconds`; the memory of the process at eleven moments.
void soak(Way& way, double seconds) {
  const double start = now_us();
  std::uint64_t frames = 0;
  for (int part = 0; part <= 10; ++part) {
    while (now_us() - start < seconds * 1e5 * part) {
      way.frame();
      ++frames;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::printf("%7.1f s  %10llu frames  %8.0f KB now, %8.0f KB at most\n",
                (now_us() - start) / 1e6, static_cast<unsigned long long>(frames),
                status_kb("VmRSS:"), status_kb("VmHWM:"));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr,
                 "overhead LIBRARY FOLDER MODEL [--layers INSTRUMENTED OWN_OUTPUTS] [--threads N] "
                 "[--rounds N] [--block N] [--only WAY] [--parts]\n");
    return 2;
  }
  std::string layers, only;
  std::uint32_t own = 1;
  int threads = 1, rounds = 61, block = 20;
  double seconds = 0;
  bool is_in_parts = false;
  for (int i = 4; i < argc; ++i) {
    const std::string flag = argv[i];
    const auto value = [&] { return ++i < argc ? argv[i] : "0"; };
    if (flag == "--layers") layers = value(), own = static_cast<std::uint32_t>(std::atoi(value()));
    else if (flag == "--threads") threads = std::atoi(value());
    else if (flag == "--rounds") rounds = std::atoi(value());
    else if (flag == "--block") block = std::atoi(value());
    else if (flag == "--parts") is_in_parts = true;
    else if (flag == "--only") only = value();
    else if (flag == "--soak") seconds = std::atof(value());
  }
  void* const library = open_library(argv[1]);
  const std::string model = argv[3];
  std::vector<Way> ways;
  const auto wanted = [&](const char* name) { return only.empty() || only == name; };
  // One interpreter for all ways: the speed of two interpreters of one model depends on their place
  // in memory.
  const auto app = std::make_shared<TfliteApp>(library, model, threads);
  if (wanted("bare")) ways.push_back(make("bare", app, argv[2], kNoProbe));
  if (wanted("again")) ways.push_back(make("again", app, argv[2], kNoProbe));
  if (wanted("none")) ways.push_back(make("none", app, argv[2], EDGEPROBE_LEVEL_NONE));
  if (wanted("io")) ways.push_back(make("io", app, argv[2], EDGEPROBE_LEVEL_IO));
  if (!layers.empty() && wanted("layers"))
    ways.push_back(make("layers", std::make_shared<TfliteApp>(library, layers, threads), argv[2],
                        EDGEPROBE_LEVEL_LAYERS, own));
  if (ways.empty()) return 2;

  for (Way& way : ways)
    for (int i = 0; i < block; ++i) way.frame();
  if (!only.empty() && seconds > 0) {
    soak(ways[0], seconds);
    end(ways[0]);
    return 0;
  }
  std::mt19937 order(7);
  std::vector<std::size_t> turns(ways.size());
  for (std::size_t i = 0; i < turns.size(); ++i) turns[i] = i;
  for (int r = 0; r < rounds; ++r) {
    std::shuffle(turns.begin(), turns.end(), order);
    for (const std::size_t turn : turns)
      is_in_parts ? ways[turn].round_in_parts(block) : ways[turn].round(block);
  }
  std::printf("%s, %d thread%s, %d rounds of %d frames\n",
              std::filesystem::path(model).filename().c_str(), threads, threads == 1 ? "" : "s",
              rounds, block);
  if (!only.empty())
    std::printf("%-8s peak memory %.0f KB, now %.0f KB\n", ways[0].name.c_str(),
                status_kb("VmHWM:"), status_kb("VmRSS:"));
  else
    for (const Way& way : ways) is_in_parts ? report_parts(way, ways[0]) : report(way, ways[0]);
  for (Way& way : ways) end(way);
}
