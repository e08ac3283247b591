// SPDX-License-Identifier: Apache-2.0
#include "evidence/replay.h"

#include <algorithm>

#include "core/index.h"
#include "core/text.h"
#include "layers/replay/kernel_error.h"
#include "model/graph.h"

namespace edgeprobe::evidence {

Answer answer_of(const layers::Host& engine, const std::string& label, ByteView model,
                 const std::vector<Tensor>& inputs) {
  Answer answer;
  const auto graph = model::read_model(model, label, {});
  if (!graph) return {{}, graph.error().what};
  engine::SessionOptions options = engine.options;
  options.profile = false;
  options.shared_process = true;
  options.input_shapes.clear();
  for (std::size_t i = 0; i < inputs.size() && i < graph->inputs.size(); ++i) {
    const TensorSpec& stored = graph->tensors[at(graph->inputs[i])].spec;
    if (stored.shape != inputs[i].spec.shape)
      options.input_shapes[stored.name] = inputs[i].spec.shape;
  }
  auto session = engine.engine->load(model, label, options);
  if (!session) return {{}, session.error().what};
  if ((*session)->inputs().size() != inputs.size())
    return {{},
            "the engine shows " + std::to_string((*session)->inputs().size()) +
                " inputs, expected " + std::to_string(inputs.size())};
  std::vector<TensorView> fed;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    fed.emplace_back((*session)->inputs()[i], inputs[i].bytes);
  auto inference = (*session)->infer(fed);
  if (!inference) return {{}, inference.error().what};
  if (inference->outputs.size() != graph->outputs.size())
    return {{}, "the engine shows another number of outputs than the model has"};
  for (std::size_t o = 0; o < graph->outputs.size(); ++o) {
    Tensor value = std::move(inference->outputs[o]);
    Shape shape = std::move(value.spec.shape);
    value.spec = graph->tensors[at(graph->outputs[o])].spec;
    value.spec.shape = std::move(shape);
    answer.outputs.push_back(std::move(value));
  }
  return answer;
}

Result<double> error_over_limit(ByteView model, const std::vector<Tensor>& expected,
                                const std::vector<Tensor>& outputs) {
  EP_TRY(const auto graph, model::read_model(model, "the model of the evidence", {}));
  if (expected.size() != graph.outputs.size() || outputs.size() != expected.size()) return 1e9;
  const layers::ModelFile file{&graph, model};
  double worst = 0;
  for (std::size_t o = 0; o < expected.size(); ++o) {
    const model::Layer* const layer = model::layer_of(graph, graph.outputs[o]);
    if (!layer) continue;
    layers::KernelErrorSums sums;
    if (auto added = sums.add(file.spec(graph.outputs[o]), expected[o], outputs[o]); !added)
      return 1e9;
    worst = std::max(worst, layers::excess(file, sums.judged(file, layer->index)));
  }
  return worst;
}

Result<Replayed> replay(const layers::Host& engine, const Evidence& evidence) {
  Answer answer = answer_of(engine, "model." + evidence.format, evidence.model, evidence.inputs);
  Replayed replayed;
  replayed.refused = std::move(answer.refused);
  if (!replayed.refused.empty()) {
    if (evidence.refused.empty())
      return Error{ErrorKind::kUnsupported,
                   "the engine gives no answer, which neither confirms nor excludes the fault: " +
                       replayed.refused};
    replayed.there = true;
    return replayed;
  }
  EP_TRY(auto off, error_over_limit(evidence.model, evidence.expected, answer.outputs));
  replayed.error_over_limit = off;
  replayed.there = off > 1;
  return replayed;
}

}  // namespace edgeprobe::evidence
