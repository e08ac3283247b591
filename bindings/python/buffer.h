// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <nanobind/nanobind.h>

#include "edgeprobe.h"

namespace edgeprobe::python {

/// The memory of an array, borrowed for one call without a copy. Nothing may move or free it
/// meanwhile: Python's buffer protocol.
class Buffer {
 public:
  /// C-contiguous values of any shape. Throws BufferError when the object has gaps, TypeError when
  /// it is no buffer.
  static Buffer dense(nanobind::handle object);
  /// The same; false in `is_there` where that would throw.
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
  /// Nothing for elements that no trace holds: complex numbers, structures, foreign byte order.
  std::optional<edgeprobe_dtype> known_dtype() const;
  /// Throws UsageError for these.
  edgeprobe_dtype dtype() const;

 private:
  Buffer(nanobind::handle object, int flags, bool throws);

  Py_buffer view_{};
};

/// Copies beyond this size are made without the interpreter lock; below it giving the lock away
/// costs more than the copy.
constexpr size_t kLargeCopy = 32 << 10;

}  // namespace edgeprobe::python
