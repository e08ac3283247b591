// SPDX-License-Identifier: Apache-2.0
#include "model/borrowed_output.h"

#include <algorithm>

#include "core/text.h"

namespace edgeprobe::model {

std::string borrowed_output(const Graph& graph) {
  for (auto output = graph.outputs.begin(); output != graph.outputs.end(); ++output) {
    if (*output < 0 || static_cast<std::size_t>(*output) >= graph.tensors.size()) continue;
    const ModelTensor& tensor = graph.tensors[static_cast<std::size_t>(*output)];
    const bool is_input = std::count(graph.inputs.begin(), graph.inputs.end(), *output) > 0;
    const char* const why = is_input             ? "which is also an input"
                            : tensor.is_constant ? "which is a constant"
                            : std::count(graph.outputs.begin(), output, *output)
                                ? "which is listed twice"
                                : nullptr;
    if (why) return "'" + sanitized(tensor.spec.name, 100) + "', " + why;
  }
  return "";
}

std::string borrowed_output_note(const Graph& graph) {
  const std::string output = graph.format == "tflite" ? borrowed_output(graph) : "";
  if (output.empty()) return "";
  return "the model has an output " + output +
         ": LiteRT's compiled models do not return it, so it runs on engine tflite";
}

}  // namespace edgeprobe::model
