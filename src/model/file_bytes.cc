// SPDX-License-Identifier: Apache-2.0
#include "model/file_bytes.h"

#include "core/text.h"

namespace edgeprobe::model {

Result<FileBytes> FileBytes::open(const std::filesystem::path& path) {
  constexpr std::size_t kMost = std::size_t{1} << 31;
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) {
    const bool saved = std::filesystem::exists(path / "saved_model.pb", failure);
    return Error{
        ErrorKind::kUsage,
        "'" + sanitized(path.string()) +
            (saved ? "' is a TensorFlow SavedModel: convert it with tf.lite.TFLiteConverter first"
                   : "' is a folder, expected a .tflite or .onnx model")};
  }
  const auto size = std::filesystem::file_size(path, failure);
  // read_file() reports anything that is not a regular file.
  if (failure || size <= kMappedAbove) {
    EP_TRY(auto bytes, read_file(path, kMost));
    return FileBytes(std::move(bytes));
  }
  EP_TRY(auto mapped, MappedFile::open(path));
  if (mapped.bytes().size > kMost)
    return Error{ErrorKind::kLimit, "'" + sanitized(path.string()) + "' has " +
                                        std::to_string(mapped.bytes().size) + " bytes, at most " +
                                        std::to_string(kMost) + " are read"};
  FileBytes file;
  file.mapped_ = std::move(mapped);
  return file;
}

}  // namespace edgeprobe::model
