// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/bytes.h"
#include "core/descriptor.h"
#include "core/result.h"

namespace edgeprobe::process {

/// Memory shared by two processes, without a name in any file system.
class SharedMemory {
 public:
  /// New zeroed memory of a fixed size: neither side can shrink it while the other uses it.
  static Result<SharedMemory> create(std::size_t size, const char* name);
  /// Maps memory created by another process; `size` must match.
  static Result<SharedMemory> attach(Descriptor fd, std::size_t size, bool writable);

  SharedMemory() = default;
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  ByteView view() const { return {data_, size_}; }
  int descriptor() const { return fd_.get(); }

 private:
  Status map(bool writable);
  Descriptor fd_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace edgeprobe::process
