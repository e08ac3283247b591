// SPDX-License-Identifier: Apache-2.0
#include "model/state.h"

#include "core/text.h"

namespace edgeprobe::model {

std::string state_of(const Graph& graph) {
  for (const ModelTensor& tensor : graph.tensors)
    if (tensor.is_variable) return tensor.spec.name.empty() ? "unnamed" : tensor.spec.name;
  return "";
}

std::string state_note(const Graph& graph) {
  const std::string state = state_of(graph);
  if (state.empty()) return "";
  return "the model keeps a state from inference to inference (variable tensor '" +
         sanitized(state, 100) +
         "'): each answer depends on the frames before; LiteRT's compiled models hold no state, so "
         "that it runs on engine tflite";
}

}  // namespace edgeprobe::model
