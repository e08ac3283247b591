// SPDX-License-Identifier: Apache-2.0
#include "pipeline/instrument.h"

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "pipeline/capture.h"
#include "stats/quantile.h"

namespace edgeprobe::pipeline {
namespace {

double median_ms(std::vector<std::int64_t> ns) {
  return static_cast<double>(stats::upper_median(ns)) / 1e6;
}

}  // namespace

Result<Instrumented> instrument(const OpenModel& model, Level level,
                                const std::function<bool(const std::string&)>& wanted) {
  const model::Graph& graph = model.graph;
  std::vector<int> tensors = captured_tensors(graph, level);
  const auto name_of = [&](int tensor) -> const std::string& {
    return graph.tensors[static_cast<std::size_t>(tensor)].spec.name;
  };
  const std::size_t all = tensors.size();
  if (wanted)
    tensors.erase(
        std::remove_if(tensors.begin(), tensors.end(), [&](int t) { return !wanted(name_of(t)); }),
        tensors.end());
  if (tensors.empty())
    return Error{
        ErrorKind::kUsage,
        all ? "none of the " + std::to_string(all) + " layers has a name that --include asks for"
            : "the model has no layer whose result can become an output"};
  Instrumented copy;
  for (const int tensor : tensors) copy.layers.push_back(name_of(tensor));
  EP_TRY(copy.file, model::promote(graph, model.file, tensors));
  copy.own_outputs = model.session.outputs().size();
  return copy;
}

Result<Perturbation> perturbation(const OpenModel& model, const Instrumented& copy,
                                  const std::vector<std::vector<Tensor>>& inputs,
                                  const Control& control) {
  EP_TRY(auto session,
         model.engine.load(copy.file, model.label + " (instrumented)", model.options));
  const std::size_t outputs = copy.own_outputs + copy.layers.size();
  if (session->outputs().size() != outputs)
    return Error{ErrorKind::kTarget,
                 "the engine shows " + std::to_string(session->outputs().size()) +
                     " outputs of the instrumented model, expected " + std::to_string(outputs)};
  Perturbation found;
  std::vector<std::int64_t> plain_ns, instrumented_ns;
  for (const std::vector<Tensor>& input : inputs) {
    const std::vector<TensorView> views(input.begin(), input.end());
    if (control.stopped()) return interrupted();
    const auto plain = model.session.infer(views);
    if (!plain) return Error(plain.error()).during("the model as it was");
    auto instrumented = session->infer(views);
    if (!instrumented) return std::move(instrumented).error().during("the instrumented model");
    // Counted as the engine returns them: their shapes may be open in the file.
    found.layer_bytes = 0;
    for (std::size_t i = copy.own_outputs; i < instrumented->outputs.size(); ++i)
      found.layer_bytes += instrumented->outputs[i].bytes.size();
    instrumented->outputs.resize(copy.own_outputs);
    plain_ns.push_back(plain->latency.count());
    instrumented_ns.push_back(instrumented->latency.count());
    if (fingerprint(plain->outputs) != fingerprint(instrumented->outputs)) {
      ++found.moved;
      found.farthest = std::max(found.farthest, farthest(plain->outputs, instrumented->outputs));
    }
    ++found.inputs;
    if (control.progress)
      control.progress(found.inputs, inputs.size(), "inputs through both models");
  }
  found.plain_ms = median_ms(std::move(plain_ns));
  found.instrumented_ms = median_ms(std::move(instrumented_ns));
  return found;
}

}  // namespace edgeprobe::pipeline
