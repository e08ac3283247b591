// SPDX-License-Identifier: Apache-2.0
#include "trace/record/spill_buffer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kInMemory = std::size_t{64} << 10;

}  // namespace

SpillBuffer::SpillBuffer(SpillBuffer&& other) noexcept { *this = std::move(other); }

SpillBuffer& SpillBuffer::operator=(SpillBuffer&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(may_spill_, other.may_spill_);
  std::swap(fd_, other.fd_);
  std::swap(spilled_, other.spilled_);
  std::swap(memory_, other.memory_);
  std::swap(mapped_, other.mapped_);
  std::swap(mapped_size_, other.mapped_size_);
  return *this;
}

SpillBuffer::~SpillBuffer() {
  unmap();
  if (fd_ >= 0) ::close(fd_);
}

void SpillBuffer::add(std::string_view bytes) {
  memory_.append(bytes);
  if (memory_.size() >= kInMemory && may_spill_) spill();
}

void SpillBuffer::spill() {
  if (fd_ < 0)
    fd_ = ::open(folder_.empty() ? "." : folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  std::size_t done = 0;
  while (fd_ >= 0 && done < memory_.size()) {
    const ssize_t put = ::pwrite(fd_, memory_.data() + done, memory_.size() - done,
                                 static_cast<off_t>(spilled_ + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) break;
    done += static_cast<std::size_t>(put);
  }
  // If the file system is full or lacks such files, the rest stays in memory from now on.
  if (fd_ < 0 || done < memory_.size()) {
    may_spill_ = false;
    return;
  }
  spilled_ += done;
  memory_.clear();
}

void SpillBuffer::unmap() {
  if (mapped_) ::munmap(std::exchange(mapped_, nullptr), mapped_size_);
}

std::vector<ByteView> SpillBuffer::parts() {
  std::vector<ByteView> all;
  unmap();
  if (spilled_) {
    mapped_size_ = static_cast<std::size_t>(spilled_);
    void* const at = ::mmap(nullptr, mapped_size_, PROT_READ, MAP_PRIVATE, fd_, 0);
    if (at == MAP_FAILED) return {};
    mapped_ = at;
    all.emplace_back(static_cast<const std::byte*>(at), mapped_size_);
  }
  all.push_back(view_of(memory_));
  return all;
}

}  // namespace edgeprobe::trace
