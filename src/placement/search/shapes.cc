// SPDX-License-Identifier: Apache-2.0
#include "placement/search/shapes.h"

#include <algorithm>

#include "bench/load.h"
#include "core/index.h"

namespace edgeprobe::placement {
namespace {

/// Limit on bytes of captured tensors at once.
constexpr std::size_t kAtOnce = std::size_t{1} << 28;

}  // namespace

bool is_open(const model::ModelTensor& tensor) {
  return !tensor.shape_known || std::any_of(tensor.spec.shape.begin(), tensor.spec.shape.end(),
                                            [](std::int64_t side) { return side < 0; });
}

Result<std::map<std::string, Shape>> open_shapes(const model::Graph& graph, ByteView file,
                                                 engine::Engine& engine,
                                                 const engine::SessionOptions& options,
                                                 const std::vector<model::Feed>& feeds) {
  std::map<std::string, Shape> shapes;
  std::vector<int> open = model::capturable(graph);
  std::erase_if(open, [&](int tensor) { return !is_open(graph.tensors[at(tensor)]); });
  auto groups = model::capture_groups(graph, open, kAtOnce);
  if (groups.empty()) groups.emplace_back();
  engine::SessionOptions own = options;
  own.shared_process = true;
  for (const std::vector<int>& group : groups) {
    EP_TRY(const auto promoted, model::promote(graph, file, group));
    EP_TRY(const auto session, engine.load(promoted, "the model with its layers", own));
    EP_TRY(const auto inputs, bench::random_inputs(session->inputs(), 1, feeds));
    const std::vector<TensorView> views(inputs.begin(), inputs.end());
    EP_TRY(const auto run, session->infer(views));
    for (const auto* const tensors : {&inputs, &run.outputs})
      for (const Tensor& tensor : *tensors) shapes[tensor.spec.name] = tensor.spec.shape;
  }
  return shapes;
}

}  // namespace edgeprobe::placement
