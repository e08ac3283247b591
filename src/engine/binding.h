// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/result.h"

namespace edgeprobe::engine {

/// Memory of one tensor: its elements in row-major order.
struct Place {
  std::byte* data = nullptr;
  std::size_t size = 0;  ///< Bytes.
};

/// A session whose inputs and outputs keep their memory from one inference to the next. It goes
/// before its session. Not thread-safe; while it lives the session runs through it alone.
class Binding {
 public:
  virtual ~Binding() = default;
  /// Reads the places of the inputs, and has written those of the outputs when it returns. kTarget
  /// when the engine fails, or when an output has another size than its place.
  virtual Status run() = 0;
  /// Bytes that each run() copies between the engine's memory and the places; 0: the engine
  /// computes in the places themselves.
  virtual std::uint64_t copied() const = 0;
};

}  // namespace edgeprobe::engine
