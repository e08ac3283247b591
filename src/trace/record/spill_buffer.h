// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"

namespace edgeprobe::trace {

/// Bytes needed again only at the end. Beyond 64 KiB they go into a nameless file next to the
/// recording, so that a recording of days takes no more memory than one of seconds; if that is
/// impossible, they stay in memory.
class SpillBuffer {
 public:
  SpillBuffer() = default;
  explicit SpillBuffer(const std::filesystem::path& folder) : folder_(folder), may_spill_(true) {}
  SpillBuffer(SpillBuffer&& other) noexcept;
  SpillBuffer& operator=(SpillBuffer&& other) noexcept;
  ~SpillBuffer();

  void add(std::string_view bytes);
  std::uint64_t size() const { return spilled_ + memory_.size(); }
  /// All bytes in order; valid until the next add(). If they cannot be read back, the list is empty
  /// and nothing more is added.
  std::vector<ByteView> parts();

 private:
  void spill();
  void unmap();

  std::filesystem::path folder_;
  bool may_spill_ = false;
  int fd_ = -1;
  std::uint64_t spilled_ = 0;
  std::string memory_;
  void* mapped_ = nullptr;
  std::size_t mapped_size_ = 0;
};

}  // namespace edgeprobe::trace
