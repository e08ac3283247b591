// SPDX-License-Identifier: Apache-2.0
#include "process/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace edgeprobe::process {
namespace {

Error failed(const char* step) {
  return {ErrorKind::kLimit, std::string("shared memory: ") + step + ": " + std::strerror(errno)};
}

}  // namespace

Result<SharedMemory> SharedMemory::create(std::size_t size, const char* name) {
  SharedMemory memory;
  memory.fd_ = Descriptor(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (memory.fd_.get() < 0) return failed("cannot create");
  if (::ftruncate(memory.fd_.get(), static_cast<off_t>(size)) != 0) return failed("cannot size");
  if (::fcntl(memory.fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return failed("cannot seal");
  memory.size_ = size;
  EP_CHECK(memory.map(true));
  return memory;
}

Result<SharedMemory> SharedMemory::attach(Descriptor fd, std::size_t size, bool writable) {
  SharedMemory memory;
  memory.fd_ = std::move(fd);
  struct stat info {};
  if (::fstat(memory.fd_.get(), &info) != 0) return failed("cannot get the size of");
  if (static_cast<std::size_t>(info.st_size) != size)
    return Error{ErrorKind::kCorrupt, "shared memory has another size"};
  memory.size_ = size;
  EP_CHECK(memory.map(writable));
  return memory;
}

Status SharedMemory::map(bool writable) {
  if (size_ == 0) return {};
  void* const data =
      ::mmap(nullptr, size_, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd_.get(), 0);
  if (data == MAP_FAILED) return failed("cannot map");
  data_ = static_cast<std::byte*>(data);
  return {};
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_(std::move(other.fd_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_) ::munmap(data_, size_);
}

}  // namespace edgeprobe::process
