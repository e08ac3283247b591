// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/bytes.h"
#include "core/sha256_kernels.h"

namespace edgeprobe {

/// Incremental SHA-256 (FIPS 180-4) by the fastest kernel of this processor.
class Sha256 {
 public:
  Sha256();
  explicit Sha256(const Sha256Kernel& kernel);
  void add(ByteView bytes);
  /// The hash of all added bytes as 64 lower-case hex digits. The object cannot be used afterwards.
  std::string hex();

 private:
  const Sha256Kernel* kernel_;
  Sha256State state_;
  std::array<std::byte, 64> begun_{};  ///< The incomplete block: size_ % 64 bytes.
  std::uint64_t size_ = 0;
};

}  // namespace edgeprobe
