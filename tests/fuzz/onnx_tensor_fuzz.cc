// SPDX-License-Identifier: Apache-2.0
// Any bytes as a tensor of ONNX test data (input_0.pb): an error, or values that fit their shape.
#include <cstdint>
#include <cstdlib>

#include "dataset/sources.h"

using namespace edgeprobe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto tensor = dataset::parse_onnx_tensor(
      ByteView(reinterpret_cast<const std::byte*>(data), size), "'input_0.pb'");
  if (!tensor) {
    if (tensor.error().what.empty()) std::abort();
    return 0;
  }
  const auto bytes = tensor->spec.byte_size();
  if (!bytes || *bytes != tensor->bytes.size()) std::abort();
  if (*bytes / 8 > size) std::abort();  // More than the bytes can contain: one bool each, widened.
  return 0;
}
