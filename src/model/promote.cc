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
              " cannot be captured: it is not a numeric output of an operator of the main graph"};
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

std::vector<int> untyped(const Graph& graph) {
  std::vector<int> found;
  for (const Layer& layer : graph.layers)
    for (const int output : layer.outputs) {
      if (output < 0) continue;
      const ModelTensor& tensor = graph.tensors[static_cast<std::size_t>(output)];
      if (tensor.spec.dtype == DType::kOther && tensor.stored_type == "unknown")
        found.push_back(output);
    }
  return found;
}

Result<Bytes> promote_untyped(const Graph& graph, ByteView file) {
  EP_TRY(const auto format, operations_of(graph));
  return format->promote(graph, file, untyped(graph));
}

Result<Bytes> with_types(const Graph& graph, ByteView file, const std::vector<TensorSpec>& types) {
  EP_TRY(const auto format, operations_of(graph));
  if (!format->with_types)
    return Error{ErrorKind::kUnsupported,
                 graph.format + " models always contain the types of their tensors"};
  return format->with_types(graph, file, types);
}

}  // namespace edgeprobe::model
