// SPDX-License-Identifier: Apache-2.0
// The cost of an inference in addition to the engine's own work: Session::infer() and
// Binding::run() of two sessions of one model in this process, alternating. Usage: binding_bench
// ENGINE MODEL... (default: a model of one node and one of EDGEPROBE_SHARED_DATA for each available
// engine).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/file.h"
#include "engine/engine.h"
#include "proto_writer.h"

using namespace edgeprobe;
using namespace edgeprobe::engine;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int kWarmUp = 100;
constexpr int kRounds = 2000;
constexpr std::size_t kLine = 64;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double since_us(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// Memory for some tensors, each at the start of a cache line.
struct Memory {
  explicit Memory(const std::vector<TensorSpec>& specs) {
    std::size_t total = 0;
    for (const TensorSpec& spec : specs) total += (spec.byte_size().value() / kLine + 2) * kLine;
    bytes.resize(total + kLine);
    auto* next = bytes.data() + kLine - reinterpret_cast<std::uintptr_t>(bytes.data()) % kLine;
    for (const TensorSpec& spec : specs) {
      places.push_back({next, spec.byte_size().value()});
      next += (places.back().size / kLine + 1) * kLine;
    }
  }
  std::vector<std::byte> bytes;
  std::vector<Place> places;
};

int fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.what.c_str());
  return 1;
}

int compare(Engine& engine, ByteView model, const std::string& label) {
  const char* const kind = engine.identity().kind.c_str();
  auto plain = engine.load(model, label, {});
  auto bound = engine.load(model, label, {});
  if (!plain || !bound) return fail((plain ? bound : plain).error());
  const Memory inputs((*bound)->inputs());
  std::vector<TensorView> views;
  for (std::size_t i = 0; i < inputs.places.size(); ++i)
    views.emplace_back((*plain)->inputs()[i],
                       ByteView(inputs.places[i].data, inputs.places[i].size));
  // Open shapes of outputs are known after one inference.
  if (auto first = (*bound)->infer(views); !first) return fail(first.error());
  const Memory outputs((*bound)->outputs());
  auto binding = (*bound)->bind(inputs.places, outputs.places);
  if (!binding) return fail(binding.error());

  std::vector<double> infer_us, invoke_us, run_us;
  for (int round = -kWarmUp; round < kRounds; ++round) {
    const auto infer = [&]() -> Status {
      const auto start = Clock::now();
      auto inference = (*plain)->infer(views);
      const double us = since_us(start);
      if (!inference) return std::move(inference).error();
      if (round < 0) return {};
      infer_us.push_back(us);
      invoke_us.push_back(std::chrono::duration<double, std::micro>(inference->latency).count());
      return {};
    };
    const auto run = [&]() -> Status {
      const auto start = Clock::now();
      Status ran = (*binding)->run();
      if (ran && round >= 0) run_us.push_back(since_us(start));
      return ran;
    };
    // The order alternates, so that neither way profits from the other's warm caches.
    for (const bool turn : {round % 2 == 0, round % 2 != 0})
      if (const Status done = turn ? infer() : run(); !done) return fail(done.error());
  }
  std::printf("%-12s %-44s %9.2f %9.2f %9.2f %10llu\n", kind, label.c_str(), median(infer_us),
              median(invoke_us), median(run_us),
              static_cast<unsigned long long>((*binding)->copied()));
  return 0;
}

/// y = Relu(x), x of 16 numbers, as an ONNX file.
std::string one_node() {
  namespace proto = edgeprobe::model::testing;
  return proto::number(1, 8) +
         proto::field(7, proto::field(1, proto::node("Relu", {"x"}, {"y"})) + proto::field(2, "g") +
                             proto::field(11, proto::value("x", 1, {16})) +
                             proto::field(12, proto::value("y", 1, {16}))) +
         proto::field(8, proto::number(2, 17));
}

int compare_all(const char* kind, const std::vector<std::filesystem::path>& models,
                bool with_node) {
  auto engine = open_in_process({kind, {}});
  if (!engine) {
    std::printf("%-12s skipped: %s\n", kind, engine.error().what.c_str());
    return 0;
  }
  const std::string node = one_node();
  int failed = with_node ? compare(**engine, view_of(node), "y = Relu(x)") : 0;
  for (const auto& path : models) {
    const auto model = read_file(path);
    if (!model) std::printf("%-12s skipped: %s\n", kind, model.error().what.c_str());
    else failed |= compare(**engine, *model, path.filename().string());
  }
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto worker = run_worker_if_asked(argc, argv)) return *worker;
  std::printf("%d rounds in turns, 1 thread; medians in microseconds\n", kRounds);
  std::printf("%-12s %-44s %9s %9s %9s %10s\n", "engine", "model", "infer()", "its run", "run()",
              "copied");
  if (argc > 2) return compare_all(argv[1], {argv + 2, argv + argc}, false);
  const char* const given = std::getenv("EDGEPROBE_SHARED_DATA");
  const auto models =
      (given ? given : std::filesystem::path(EDGEPROBE_SOURCE_DIR) / "../shared/data") / "models";
  const std::vector<std::filesystem::path> lite = {
      models / "litert_testdata/add.bin", models / "mlperf_tiny/kws_ref_model.tflite",
      models / "coral/mobilenet_v1_0.25_128_quant.tflite"};
  int failed = compare_all("onnxruntime", {models / "onnx/mnist.onnx"}, true);
  failed |= compare_all("litert", lite, false);
  failed |= compare_all("tflite", lite, false);
  return failed | compare_all("openvino", {models / "onnx/mnist.onnx"}, true);
}
