// SPDX-License-Identifier: Apache-2.0
#include "model/format.h"

namespace edgeprobe::model {
namespace {

Status check_request(const Graph& graph, const std::vector<int>& tensors) {
  const std::vector<int> known = capturable(graph);
  std::vector<bool> allowed(graph.tensors.size());
  for (const int tensor : known) allowed[static_cast<std::size_t>(tensor)] = true;
  for (const int tensor : graph.outputs) allowed[static_cast<std::size_t>(tensor)] = true;
  for (const int tensor : tensors)
    if (tensor < 0 || static_cast<std::size_t>(tensor) >= allowed.size() ||
        !allowed[static_cast<std::size_t>(tensor)])
      return Error{
          ErrorKind::kUsage,
          "tensor " + std::to_string(tensor) +
              " cannot be captured: it is no numeric output of an operator of the main graph"};
  return {};
}

}  // namespace

std::vector<int> promoted_outputs(const Graph& graph, const std::vector<int>& tensors) {
  std::vector<bool> taken(graph.tensors.size());
  std::vector<int> outputs = graph.outputs;
  for (const int output : outputs) taken[static_cast<std::size_t>(output)] = true;
  for (const int tensor : tensors)
    if (!taken[static_cast<std::size_t>(tensor)]) {
      taken[static_cast<std::size_t>(tensor)] = true;
      outputs.push_back(tensor);
    }
  return outputs;
}

Result<Bytes> promote(const Graph& graph, ByteView file, const std::vector<int>& tensors) {
  EP_TRY(const auto format, operations_of(graph));
  EP_CHECK(check_request(graph, tensors));
  return format->promote(graph, file, tensors);
}

}  // namespace edgeprobe::model
