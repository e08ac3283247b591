// SPDX-License-Identifier: Apache-2.0
// Any bytes as a safetensors file: an error, or tensors that lie inside it.
#include "family/safetensors.h"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const edgeprobe::ByteView file(reinterpret_cast<const std::byte*>(data), size);
  const auto read = edgeprobe::family::read_safetensors(file);
  if (!read) return 0;
  std::size_t sum = 0;
  for (const auto& [name, tensor] : *read) {
    if (tensor.bytes.begin() < file.begin() || tensor.bytes.end() > file.end()) std::abort();
    sum += tensor.bytes.size;
  }
  if (sum > size) std::abort();
  return 0;
}
