// SPDX-License-Identifier: Apache-2.0
// Runs one model on raw input files and writes raw outputs, so that a test in another language can
// compare them with another route to the same numbers. KERNELS is "-" for engines that have only
// their own. In the environment: PROFILE, KERNELS, LIMIT_MS, DELEGATE, OPTIMIZATION, PRECISION,
// FOLDER.
//   run_model ENGINE KERNELS THREADS here|supervised MODEL OUTPUT_PREFIX [INPUT_FILE...] [--
//   NAME=1,2,3...]
#include <cstdio>
#include <cstring>
#include <iostream>

#include "core/file.h"
#include "engine/engine.h"
#include "engine/target.h"
#include "model/graph.h"

using namespace edgeprobe;
using namespace edgeprobe::engine;

namespace {

int fail(const Error& error) {
  std::cerr << name(error.kind) << ": " << error.what << "\n";
  return 1;
}

std::string listed(const std::vector<int>& layers) {
  std::string text;
  for (const int layer : layers) text += (text.empty() ? "" : ",") + std::to_string(layer);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto worker = run_worker_if_asked(argc, argv)) return *worker;
  if (argc < 7) return 2;
  const auto choice = engine_choice_from_text(argv[1]);
  if (!choice) return fail(choice.error());
  SessionOptions options;
  if (const auto kernels = kernels_from_name(argv[2])) options.own = TfliteOptions{kernels};
  options.threads = std::atoi(argv[3]);
  options.profile = std::getenv("PROFILE") != nullptr;
  if (const char* level = std::getenv("OPTIMIZATION"))
    options.own = OnnxRuntimeOptions{optimization_from_name(level).value()};
  if (const char* precision = std::getenv("PRECISION");
      precision && std::string(precision) == "engine")
    options.precision = Precision::kEngine;
  if (const char* folder = std::getenv("FOLDER")) options.folder = folder;
  if (const char* limit = std::getenv("LIMIT_MS"))
    options.load_limit = options.invoke_limit = std::chrono::milliseconds(std::atoi(limit));
  if (const char* delegate = std::getenv("DELEGATE")) {  // LIB.so?KEY=VALUE
    const std::string text = delegate;
    const auto query = text.find('?');
    const auto equals = text.find('=', query);
    options.delegates = {{text.substr(0, query),
                          {{text.substr(query + 1, equals - query - 1), text.substr(equals + 1)}}}};
  }
  int inputs_end = 7;
  while (inputs_end < argc && std::strcmp(argv[inputs_end], "--") != 0) ++inputs_end;
  for (int i = inputs_end + 1; i < argc; ++i) {
    const std::string text = argv[i];
    const auto equals = text.rfind('=');
    options.input_shapes[text.substr(0, equals)] = *shape_from_list(text.substr(equals + 1));
  }
  const bool here = std::strcmp(argv[4], "here") == 0;
  auto engine = here ? open_in_process(*choice) : open_supervised(*choice);
  if (!engine) return fail(engine.error());
  auto model = read_file(argv[5]);
  if (!model) return fail(model.error());
  if (std::getenv("PROMOTE")) {
    const auto graph = model::read_model(*model, argv[5], options.folder);
    if (!graph) return fail(graph.error());
    auto promoted = model::promote(*graph, *model, model::capturable(*graph));
    if (!promoted) return fail(promoted.error());
    model = *std::move(promoted);
  }
  auto session =
      (*engine)->load(*model, std::filesystem::path(argv[5]).filename().string(), options);
  if (!session) return fail(session.error());

  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < (*session)->inputs().size(); ++i) {
    const TensorSpec& spec = (*session)->inputs()[i];
    Tensor tensor{spec, Bytes(spec.byte_size().value())};
    if (7 + static_cast<int>(i) < inputs_end) {
      auto bytes = read_file(argv[7 + i]);
      if (!bytes) return fail(bytes.error());
      tensor.bytes = std::move(*bytes);
    }
    inputs.push_back(std::move(tensor));
  }
  const std::vector<TensorView> views(inputs.begin(), inputs.end());
  auto result = (*session)->infer(views);
  if (!result) return fail(result.error());
  for (std::size_t i = 0; i < result->outputs.size(); ++i) {
    const Tensor& output = result->outputs[i];
    std::cout << "output " << name(output.spec.dtype) << " " << to_list(output.spec.shape) << " "
              << output.spec.name << "\n";
    const std::string path = std::string(argv[6]) + "." + std::to_string(i);
    if (auto written = write_file(path, output.bytes); !written) return fail(written.error());
  }
  for (const Delegation& delegation : (*session)->delegations())
    std::cout << "delegate " << delegation.delegate << " " << delegation.ops_taken << " "
              << delegation.ops_total << "\n";
  for (const std::string& warning : (*session)->warnings())
    std::cout << "warning " << warning << "\n";
  for (const OpTime& op : result->op_times)
    std::cout << "op " << (op.layers.empty() ? "-" : listed(op.layers)) << " "
              << (op.inner ? "inner" : "graph") << " " << op.time.count() << " " << op.type << "\n";
  if (std::getenv("KERNELS"))
    for (const OpTime& op : result->op_times) {
      std::cout << "kernel " << (op.precision.empty() ? "-" : op.precision) << " "
                << op.time.count() << " ";
      for (std::size_t i = 0; i < op.layers.size(); ++i)
        std::cout << (i ? "," : "") << op.layers[i];
      std::cout << (op.layers.empty() ? "-" : "") << " " << op.type << " | " << op.name << "\n";
    }
  std::cout << "latency_ns " << result->latency.count() << "\n";
  return 0;
}
