// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <nanobind/nanobind.h>

#include "edgeprobe.h"

namespace edgeprobe::python {

/// The memory of an array, borrowed for one call without copying; Python's buffer protocol prevents
/// moving or freeing it meanwhile.
class Buffer {
 public:
  /// C-contiguous values of any shape. Throws BufferError if the object is not contiguous,
  /// TypeError if it is not a buffer.
  static Buffer dense(nanobind::handle object);
  /// Same, but sets `is_there` to false instead of throwing.
  static Buffer dense_if(nanobind::handle object);
  /// Any layout: `view()` has the strides.
  static Buffer strided(nanobind::handle object);

  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { PyBuffer_Release(&view_); }

  bool is_there() const { return view_.obj != nullptr; }
  const Py_buffer& view() const { return view_; }
  const void* data() const { return view_.buf; }
  size_t size() const { return static_cast<size_t>(view_.len); }
  uint32_t rank() const { return static_cast<uint32_t>(view_.ndim); }
  /// Empty for element types that a trace cannot hold: complex numbers, structures, foreign byte
  /// order.
  std::optional<edgeprobe_dtype> known_dtype() const;
  /// Throws UsageError for these.
  edgeprobe_dtype dtype() const;

 private:
  Buffer(nanobind::handle object, int flags, bool throws);

  Py_buffer view_{};
};

/// Larger copies release the interpreter lock; below this size, releasing it costs more than the
/// copy.
constexpr size_t kLargeCopy = 32 << 10;

}  // namespace edgeprobe::python
