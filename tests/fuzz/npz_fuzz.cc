// SPDX-License-Identifier: Apache-2.0
// Any bytes as a NumPy archive and as a single array: an error, or arrays whose values fit their
// shapes.
#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "archive/npz.h"

using namespace edgeprobe;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

void check(const Result<archive::Npz>& npz, std::size_t input) {
  if (!npz) {
    if (npz.error().what.empty()) std::abort();
    return;
  }
  std::size_t total = 0;
  for (const Tensor& array : npz->arrays) {
    const auto size = array.spec.byte_size();
    if (!size || *size != array.bytes.size()) std::abort();
    total += *size;
  }
  if (total / 1100 > input) std::abort();  // more than the bytes can hold
}

template <class T>
T at(const std::uint8_t* data, std::size_t offset) {
  T value;
  std::memcpy(&value, data + offset, sizeof value);
  return value;
}

// Corrects the checksums of stored members, so that readers examine a changed one.
void mend(std::uint8_t* data, std::size_t size) {
  for (std::size_t entry = 0; entry + 46 <= size; ++entry) {
    if (at<std::uint32_t>(data, entry) != 0x02014b50 || at<std::uint16_t>(data, entry + 10) != 0)
      continue;
    const std::size_t local = at<std::uint32_t>(data, entry + 42),
                      length = at<std::uint32_t>(data, entry + 20);
    if (local + 30 > size) continue;
    const std::size_t start =
        local + 30 + at<std::uint16_t>(data, local + 26) + at<std::uint16_t>(data, local + 28);
    if (start > size || length > size - start) continue;
    const auto checksum = static_cast<std::uint32_t>(::crc32_z(0, data + start, length));
    std::memcpy(data + entry + 16, &checksum, 4);
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, most);
  if (seed % 4) mend(data, size);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView file(reinterpret_cast<const std::byte*>(data), size);
  check(archive::parse_npz(file), size);
  check(archive::parse_npy(file, "array"), size);
  return 0;
}
