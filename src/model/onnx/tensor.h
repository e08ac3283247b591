// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/graph.h"
#include "model/onnx/proto.h"

namespace edgeprobe::model::onnx {

/// Sizes of the model's external files, each queried once. With an empty folder every size is
/// unknown.
class ExternalFiles {
 public:
  explicit ExternalFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  const std::filesystem::path& folder() const { return folder_; }
  /// Nothing if there is no folder.
  Result<std::optional<std::size_t>> size(std::string_view location);

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::size_t, std::less<>> known_;
};

/// A tensor with values: type, shape and storage. Errors become failures of `reader`: a type
/// unknown to the format (kUnsupported), fewer or more values than the shape needs (kCorrupt), a
/// file that must not be read.
ModelTensor constant_tensor(WireReader& reader, const Tensor& tensor, const Place& place,
                            ExternalFiles& files);

/// Adds the facts of a declaration; a sequence, map or optional is kOther with that word as
/// stored_type.
void declare(WireReader& reader, const Type& type, const Place& place, ModelTensor& into);

/// The values of a constant with ModelTensor::Storage::kProtobuf.
Result<Bytes> decode_values(ByteView file, const ModelTensor& tensor);

}  // namespace edgeprobe::model::onnx
