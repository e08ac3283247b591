// SPDX-License-Identifier: Apache-2.0
#include "model/state.h"

#include <algorithm>

#include "core/text.h"

namespace edgeprobe::model {
namespace {

std::string named(const ModelTensor& tensor) {
  return tensor.spec.name.empty() ? "unnamed" : tensor.spec.name;
}

bool is_tensor(const Graph& graph, int tensor) {
  return tensor >= 0 && static_cast<std::size_t>(tensor) < graph.tensors.size();
}

// A variable assigned only by the initialisation is a constant: that runs once, in a separate
// graph.
std::string resource_variable_of(const Graph& graph) {
  for (const Layer& layer : graph.layers)
    if (layer.type == "ASSIGN_VARIABLE" && !layer.inputs.empty() &&
        is_tensor(graph, layer.inputs[0]))
      return named(graph.tensors[static_cast<std::size_t>(layer.inputs[0])]);
  return "";
}

}  // namespace

std::string variable_tensor_of(const Graph& graph) {
  for (const ModelTensor& tensor : graph.tensors)
    if (tensor.is_variable) return named(tensor);
  return "";
}

std::string state_of(const Graph& graph) {
  const std::string variable = variable_tensor_of(graph);
  return variable.empty() ? resource_variable_of(graph) : variable;
}

bool touches_state(const Graph& graph, const Layer& layer) {
  return layer.type == "READ_VARIABLE" || layer.type == "ASSIGN_VARIABLE" ||
         layer.type == "VAR_HANDLE" || layer.type == "CALL_ONCE" ||
         std::any_of(layer.inputs.begin(), layer.inputs.end(), [&](int tensor) {
           return is_tensor(graph, tensor) &&
                  graph.tensors[static_cast<std::size_t>(tensor)].is_variable;
         });
}

std::string state_note(const Graph& graph) {
  const std::string variable = variable_tensor_of(graph), state = state_of(graph);
  if (state.empty()) return "";
  return std::string("the model keeps a state from inference to inference (") +
         (variable.empty() ? "resource variable '" : "variable tensor '") + sanitized(state, 100) +
         "'): each answer depends on the frames before" +
         (variable.empty() ? ""
                           : "; LiteRT's compiled models keep no state, so it runs on engine "
                             "tflite");
}

}  // namespace edgeprobe::model
