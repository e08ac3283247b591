// SPDX-License-Identifier: Apache-2.0
// The cost of reading a .onnx file, adding all its intermediates as outputs and cutting parts out
// of it: wall and CPU time, and the peak memory of the process. onnx_patch_bench MODEL [OUT]: the
// copy goes to OUT, a single layer to OUT.op, everything after the first layer to OUT.rest.
// bench/onnx_patch.py makes a model of 150 MB and runs this and the onnx package.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

#include "core/file.h"
#include "model/cut.h"
#include "model/graph.h"

namespace {

using namespace edgeprobe;

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Bytes of private pages and, separately, of mapped file pages.
void print_step(const char* step, std::chrono::steady_clock::time_point began, double cpu) {
  double most = 0, own = 0;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) most = std::stod(line.substr(6)) / 1000;
    if (line.rfind("RssAnon:", 0) == 0) own = std::stod(line.substr(8)) / 1000;
  }
  const double wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::printf("%-8s %7.3f s wall  %7.3f s CPU  peak %7.1f MB, own memory now %7.1f MB\n", step,
              wall, cpu_seconds() - cpu, most, own);
}

constexpr std::size_t kCuts = 15;

// Cuts the part kCuts times; the last cut is written to `out` if that is given.
bool time_cut(const char* name, const model::Graph& graph, ByteView file, const model::Part& part,
              const std::string& out) {
  std::vector<double> wall, cpu;
  Bytes last;
  for (std::size_t i = 0; i < kCuts; ++i) {
    last = {};
    const auto began = std::chrono::steady_clock::now();
    const double used = cpu_seconds();
    auto bytes = model::cut(graph, file, part);
    wall.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    cpu.push_back(cpu_seconds() - used);
    if (!bytes) {
      std::fprintf(stderr, "%s\n", bytes.error().what.c_str());
      return false;
    }
    last = *std::move(bytes);
  }
  std::sort(wall.begin(), wall.end());
  std::sort(cpu.begin(), cpu.end());
  const auto label = [&](int tensor) {
    return graph.tensors[static_cast<std::size_t>(tensor)].spec.name.c_str();
  };
  std::printf(
      "cut %-4s %7.4f s wall (%.4f to %.4f)  %7.4f s CPU (%.4f to %.4f), median and range of %zu; "
      "%zu bytes; %s to %s\n",
      name, wall[kCuts / 2], wall.front(), wall.back(), cpu[kCuts / 2], cpu.front(), cpu.back(),
      kCuts, last.size(), label(part.inputs.at(0)), label(part.outputs.at(0)));
  return out.empty() || static_cast<bool>(write_file(out, last));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  auto began = std::chrono::steady_clock::now();
  double cpu = cpu_seconds();
  model::FileBytes file;
  const auto graph = model::load(argv[1], file);
  if (!graph) {
    std::fprintf(stderr, "%s\n", graph.error().what.c_str());
    return 1;
  }
  print_step("read", began, cpu);
  began = std::chrono::steady_clock::now();
  cpu = cpu_seconds();
  if (sha256(file) != graph->sha256) return 1;
  print_step("hash", began, cpu);  // One step of reading, timed by itself.
  began = std::chrono::steady_clock::now();
  cpu = cpu_seconds();
  const auto tensors = capturable(*graph);
  const auto promoted = promote(*graph, file, tensors);
  if (!promoted) {
    std::fprintf(stderr, "%s\n", promoted.error().what.c_str());
    return 1;
  }
  print_step("promote", began, cpu);
  std::printf("%zu layers, %zu intermediates, %zu bytes, %zu added\n", graph->layers.size(),
              tensors.size(), file.view().size, promoted->size() - file.view().size);
  if (argc > 2)
    if (auto written = write_file(argv[2], *promoted); !written) return 1;
  const std::string out = argc > 2 ? argv[2] : "";
  const int middle = static_cast<int>(graph->layers.size() / 2);
  const bool op =
      time_cut("op", *graph, file, model::one_op(*graph, middle), out.empty() ? out : out + ".op");
  const bool rest = time_cut("rest", *graph, file, model::rest_after(*graph, 0, graph->outputs),
                             out.empty() ? out : out + ".rest");
  return op && rest ? 0 : 1;
}
