// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/graph.h"
#include "model/onnx/proto.h"

namespace edgeprobe::model::onnx {

/// Sizes of the files beside the model, each asked for once. With an empty folder every size is
/// unknown.
class ExternalFiles {
 public:
  explicit ExternalFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  const std::filesystem::path& folder() const { return folder_; }
  /// Nothing when there is no folder to look in.
  Result<std::optional<std::size_t>> size(std::string_view location);

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::size_t, std::less<>> known_;
};

/// A tensor that has its values: type, shape and where they are. What does not fit fails in
/// `reader`: a type that the format does not know (kUnsupported), fewer or more values than the
/// shape needs (kCorrupt), a file that must not be read.
ModelTensor constant_tensor(WireReader& reader, const Tensor& tensor, const Place& place,
                            ExternalFiles& files);

/// Adds what a declaration says; a sequence, map or optional is kOther with that word as
/// stored_type.
void declare(WireReader& reader, const Type& type, const Place& place, ModelTensor& into);

/// The values of a constant with ModelTensor::Storage::kProtobuf.
Result<Bytes> decode_values(ByteView file, const ModelTensor& tensor);

}  // namespace edgeprobe::model::onnx
