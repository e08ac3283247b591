// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"

namespace edgeprobe::trace {

/// Bytes that are only needed again at the end. Beyond 64 KiB they go into a file without a name
/// beside the recording, so that a recording of days takes no more memory than one of seconds;
/// where there can be none, they stay in memory.
class SpillBuffer {
 public:
  SpillBuffer() = default;
  explicit SpillBuffer(const std::filesystem::path& folder) : folder_(folder), may_spill_(true) {}
  SpillBuffer(SpillBuffer&& other) noexcept;
  SpillBuffer& operator=(SpillBuffer&& other) noexcept;
  ~SpillBuffer();

  void add(std::string_view bytes);
  std::uint64_t size() const { return spilled_ + memory_.size(); }
  /// All bytes in order; valid until the next add(). Nothing more is added when they cannot be read
  /// back: the list is empty then.
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
