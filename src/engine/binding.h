// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/result.h"

namespace edgeprobe::engine {

/// Memory of one tensor: its elements in row-major order.
struct Place {
  std::byte* data = nullptr;
  std::size_t size = 0;  ///< Size in bytes.
};

/// A session whose inputs and outputs keep their memory between inferences. Destroy it before its
/// session. Not thread-safe; while it exists, the session runs only through it.
class Binding {
 public:
  virtual ~Binding() = default;
  /// Reads the inputs' places and writes those of the outputs. kTarget if the engine fails or an
  /// output's size differs from its place.
  virtual Status run() = 0;
  /// Bytes that each run() copies between the engine's memory and the places; 0 if the engine
  /// computes directly in the places.
  virtual std::uint64_t copied() const = 0;
};

}  // namespace edgeprobe::engine
