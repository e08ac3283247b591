// SPDX-License-Identifier: Apache-2.0
// One session that runs on request, so that another program can take turns with it on one machine:
// for each line "N" on stdin it runs N inferences of seeded inputs and prints their latencies in
// microseconds on one line.
//   session_loop ENGINE MODEL [profile]
#include <cstring>
#include <iostream>
#include <random>

#include "core/file.h"
#include "engine/engine.h"
#include "engine/target.h"

using namespace edgeprobe;
using namespace edgeprobe::engine;

namespace {

int fail(const Error& error) {
  std::cerr << error.what << "\n";
  return 1;
}

std::vector<Tensor> inputs_of(const Session& session) {
  std::mt19937 generator(7);
  std::vector<Tensor> inputs;
  for (const TensorSpec& spec : session.inputs()) {
    Tensor tensor{spec, Bytes(spec.byte_size().value_or(0))};
    for (std::size_t i = 0; i + 4 <= tensor.bytes.size() && spec.dtype == DType::kFloat32; i += 4) {
      const float value = static_cast<float>(generator() % 1000) / 1000.f;
      std::memcpy(tensor.bytes.data() + i, &value, 4);
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto worker = run_worker_if_asked(argc, argv)) return *worker;
  if (argc < 3) return 2;
  const auto choice = engine_choice_from_text(argv[1]);
  if (!choice) return fail(choice.error());
  auto engine = open_supervised(*choice);
  if (!engine) return fail(engine.error());
  const auto model = read_file(argv[2]);
  if (!model) return fail(model.error());
  SessionOptions options;
  options.profile = argc > 3 && std::strcmp(argv[3], "profile") == 0;
  auto session = (*engine)->load(*model, argv[2], options);
  if (!session) return fail(session.error());
  const auto inputs = inputs_of(**session);
  const std::vector<TensorView> views(inputs.begin(), inputs.end());
  for (int count = 0; std::cin >> count;) {
    RepeatOptions repeat;
    repeat.count = static_cast<std::size_t>(count);
    repeat.scheduling = false;
    const auto iterations = (*session)->repeat(views, repeat);
    if (!iterations) return fail(iterations.error());
    for (const Iteration& iteration : iterations->iterations)
      std::cout << std::chrono::duration<double, std::micro>(iteration.latency).count() << " ";
    std::cout << std::endl;
  }
}
