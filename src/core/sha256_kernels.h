// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/bytes.h"

namespace edgeprobe {

using Sha256State = std::array<std::uint32_t, 8>;

/// One implementation of SHA-256's compression function; all produce the same state.
struct Sha256Kernel {
  const char* name;
  /// Adds `blocks` blocks of 64 bytes to the state. `round` points to the 64 round constants.
  void (*run)(Sha256State& state, const std::uint32_t* round, const std::byte* data,
              std::size_t blocks);
};
/// The kernels that this processor can run, fastest last. The first runs everywhere.
std::vector<Sha256Kernel> sha256_kernels();

/// Lower-case hexadecimal SHA-256 of the bytes, computed by this kernel.
std::string sha256_by(const Sha256Kernel& kernel, ByteView bytes);

}  // namespace edgeprobe
