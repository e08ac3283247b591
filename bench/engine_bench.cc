// SPDX-License-Identifier: Apache-2.0
// The cost of the engine process: an inference in this process against one in a separate process,
// alternating. Usage: engine_bench MODEL... (default: two models of EDGEPROBE_SHARED_DATA).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/file.h"
#include "engine/engine.h"

using namespace edgeprobe;
using namespace edgeprobe::engine;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int kWarmUp = 20;
constexpr int kRounds = 400;

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

struct Timed {
  std::vector<double> wall_us;
  std::vector<double> invoke_us;
};

bool infer(Session& session, const std::vector<TensorView>& inputs, Timed* timed) {
  const auto start = Clock::now();
  const auto result = session.infer(inputs);
  const double wall = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().what.c_str());
    return false;
  }
  if (timed) {
    timed->wall_us.push_back(wall);
    timed->invoke_us.push_back(std::chrono::duration<double, std::micro>(result->latency).count());
  }
  return true;
}

int compare(const char* kind, const std::filesystem::path& path) {
  const auto model = read_file(path);
  auto here_engine = open_in_process({kind, {}});
  auto there_engine = open_supervised({kind, {}});
  if (!model || !here_engine || !there_engine) {
    std::printf("%-7s %-44s skipped: %s\n", kind, path.filename().c_str(),
                !model ? model.error().what.c_str()
                       : (here_engine ? there_engine : here_engine).error().what.c_str());
    return 0;
  }
  const auto start = Clock::now();
  auto here = (*here_engine)->load(*model, path.filename().string(), {});
  const auto middle = Clock::now();
  auto there = (*there_engine)->load(*model, path.filename().string(), {});
  const auto end = Clock::now();
  if (!here || !there) {
    std::fprintf(stderr, "%s\n", (here ? there : here).error().what.c_str());
    return 1;
  }
  std::vector<Tensor> tensors;
  std::size_t bytes = 0;
  for (const TensorSpec& spec : (*here)->inputs()) {
    tensors.push_back({spec, Bytes(spec.byte_size().value())});
    bytes += tensors.back().bytes.size();
  }
  const std::vector<TensorView> inputs(tensors.begin(), tensors.end());
  Timed in_process;
  Timed supervised;
  for (int round = -kWarmUp; round < kRounds; ++round) {
    const bool counts = round >= 0;
    // The order alternates, so that neither way profits from the other's warm caches.
    Session& first = round % 2 ? **here : **there;
    Session& second = round % 2 ? **there : **here;
    Timed& first_timed = round % 2 ? in_process : supervised;
    Timed& second_timed = round % 2 ? supervised : in_process;
    if (!infer(first, inputs, counts ? &first_timed : nullptr) ||
        !infer(second, inputs, counts ? &second_timed : nullptr))
      return 1;
  }
  const double plain = quantile(in_process.wall_us, 0.5);
  const double apart = quantile(supervised.wall_us, 0.5);
  std::printf("%-7s %-44s %8zu %9.1f %9.1f %+8.1f %7.3f %9.1f %9.1f %8.1f %8.1f\n", kind,
              path.filename().c_str(), bytes, plain, apart, apart - plain, apart / plain,
              quantile(in_process.invoke_us, 0.5), quantile(supervised.invoke_us, 0.5),
              std::chrono::duration<double, std::milli>(middle - start).count(),
              std::chrono::duration<double, std::milli>(end - middle).count());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto worker = run_worker_if_asked(argc, argv)) return *worker;
  std::vector<std::filesystem::path> models(argv + 1, argv + argc);
  if (models.empty()) {
    const char* const given = std::getenv("EDGEPROBE_SHARED_DATA");
    const std::filesystem::path data =
        given ? given : std::filesystem::path(EDGEPROBE_SOURCE_DIR) / "../shared/data";
    for (const char* const name :
         {"litert_testdata/add.bin", "coral/mobilenet_v1_0.25_128_quant.tflite",
          "coral/mobilenet_v2_1.0_224_quant.tflite"})
      models.push_back(data / "models" / name);
  }
  std::printf(
      "%d rounds in turns, XNNPACK, 1 thread; medians in microseconds, load in milliseconds\n",
      kRounds);
  std::printf("%-7s %-44s %8s %9s %9s %8s %7s %9s %9s %8s %8s\n", "engine", "model", "in bytes",
              "here", "process", "cost", "ratio", "invoke", "invoke", "load", "load");
  int failed = 0;
  for (const char* const kind : {"litert", "tflite"})
    for (const auto& model : models) failed |= compare(kind, model);
  return failed;
}
