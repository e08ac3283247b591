#pragma once

#include <cstddef>
#include <utility>

#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::engine {

/// A file descriptor with one owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  void close();

 private:
  int fd_ = -1;
};

/// Memory that two processes see, without a name in any file system.
class SharedMemory {
 public:
  /// New memory of a fixed size: neither side can cut it short under the other. Holds zeros.
  static Result<SharedMemory> create(std::size_t size, const char* name);
  /// Maps what another process created; `size` must be its size. `writable` as wanted.
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

}  // namespace edgeprobe::engine
