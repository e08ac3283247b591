// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "core/index.h"
#include "core/text.h"
#include "model/edit.h"
#include "model/graph.h"
#include "model/onnx/external.h"
#include "model/onnx/tensor.h"

namespace edgeprobe::model {
namespace {

Result<Tensor> external_constant(const Graph& graph, const ModelTensor& found) {
  const std::string name = "'" + sanitized(found.spec.name, 60) + "'";
  if (graph.folder.empty())
    return Error{ErrorKind::kUsage, name + " has its values in '" + sanitized(found.external_file) +
                                        "', and the model's folder is not known"};
  auto values =
      onnx::read_external(graph.folder, found.external_file, found.data_offset, found.data_size);
  if (!values) return std::move(values).error().during(name);
  return Tensor{found.spec, *std::move(values)};
}

}  // namespace

Result<Tensor> constant(const Graph& graph, ByteView file, int tensor) {
  const auto refuse = [&](ErrorKind kind, const std::string& what) {
    return Error{kind, "tensor " + std::to_string(tensor) + " " + what};
  };
  if (tensor < 0 || static_cast<std::size_t>(tensor) >= graph.tensors.size())
    return refuse(ErrorKind::kUsage,
                  "does not exist, the model has " + std::to_string(graph.tensors.size()));
  const ModelTensor& found = graph.tensors[static_cast<std::size_t>(tensor)];
  if (!found.is_constant)
    return refuse(ErrorKind::kUsage, "is computed, its values are not in the file");
  if (found.is_sparse)
    return refuse(ErrorKind::kUnsupported, "is stored without its zeros, which is not read");
  if (found.storage == ModelTensor::Storage::kExternal) return external_constant(graph, found);
  if (found.data_offset > file.size || found.data_size > file.size - found.data_offset)
    return refuse(ErrorKind::kCorrupt, "has its values past the end of the file");
  if (found.storage == ModelTensor::Storage::kProtobuf) {
    auto values = onnx::decode_values(file, found);
    if (!values) return refuse(values.error().kind, values.error().what);
    return Tensor{found.spec, *std::move(values)};
  }
  return Tensor{found.spec, file.sub(found.data_offset, found.data_size).copy()};
}

Status set_constant(const Graph& graph, Bytes& file, int tensor, ByteView values) {
  EP_TRY(const auto stored, constant(graph, file, tensor));
  const ModelTensor& found = graph.tensors[at(tensor)];
  if (found.storage != ModelTensor::Storage::kPlain)
    return Error{ErrorKind::kUnsupported,
                 "tensor " + std::to_string(tensor) + " is not stored in the file as plain bytes"};
  if (stored.bytes.size() != values.size)
    return Error{ErrorKind::kUsage, "tensor " + std::to_string(tensor) + " has " +
                                        std::to_string(stored.bytes.size()) + " bytes, not " +
                                        std::to_string(values.size)};
  std::memcpy(file.data() + found.data_offset, values.data, values.size);
  return {};
}

}  // namespace edgeprobe::model
