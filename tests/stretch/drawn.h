// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/graph.h"
#include "stretch/plan.h"

namespace edgeprobe::stretch::testing {

/// A graph built layer by layer, with named tensors.
class Drawn {
 public:
  explicit Drawn(std::string format = "onnx") { graph.format = std::move(format); }

  int tensor(const std::string& name, Shape shape = {1, 4}, DType dtype = DType::kFloat32) {
    model::ModelTensor made;
    made.spec = {name, dtype, std::move(shape), {}};
    graph.tensors.push_back(std::move(made));
    return static_cast<int>(graph.tensors.size()) - 1;
  }
  int input(const std::string& name, Shape shape = {1, 4}) {
    graph.inputs.push_back(tensor(name, std::move(shape)));
    return graph.inputs.back();
  }
  /// Adds a layer; its output is a new tensor of that name.
  int layer(const std::string& name, std::vector<int> inputs, Shape shape = {1, 4},
            const std::string& type = "Conv") {
    const int made = tensor(name, std::move(shape));
    layer_to({made}, std::move(inputs), type);
    return made;
  }
  void layer_to(std::vector<int> outputs, std::vector<int> inputs, const std::string& type) {
    model::Layer layer;
    layer.index = static_cast<int>(graph.layers.size());
    layer.type = type;
    layer.inputs = std::move(inputs);
    layer.outputs = std::move(outputs);
    graph.layers.push_back(std::move(layer));
  }

  model::Graph graph;
};

inline Step run(std::string name) { return {Step::Kind::kRun, std::move(name)}; }
inline Step signal(std::string name) { return {Step::Kind::kSignal, std::move(name)}; }
inline Step wait(std::string name) { return {Step::Kind::kWait, std::move(name)}; }

/// A plan for that graph on "cpu0", "cpu1" and so on, one processor for each list of steps.
inline Plan plan_of(const model::Graph& graph, std::vector<Piece> pieces,
                    std::vector<std::vector<Step>> programs, std::vector<Merge> merges = {}) {
  Plan plan;
  plan.format = graph.format;
  plan.layers = layer_texts(graph);
  plan.pieces = std::move(pieces);
  plan.merges = std::move(merges);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    plan.processors.push_back(
        {"cpu" + std::to_string(i), "onnxruntime", {static_cast<int>(i)}, 1, 1});
    plan.programs.push_back({plan.processors.back().name, std::move(programs[i])});
  }
  return plan;
}

}  // namespace edgeprobe::stretch::testing
