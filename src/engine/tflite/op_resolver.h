// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "engine/tflite/api.h"

namespace edgeprobe::engine::tflite {

/// TFLite's own reference kernels. The C interface has no function for them, so the library's
/// `tflite::ops::builtin::BuiltinRefOpResolver` is constructed in raw memory by its exported
/// constructor and queried through the C interface's callbacks. One per library.
class ReferenceResolver {
 public:
  /// The library must have_reference_kernels().
  explicit ReferenceResolver(const Api& api);
  ReferenceResolver(const ReferenceResolver&) = delete;
  ReferenceResolver& operator=(const ReferenceResolver&) = delete;
  ~ReferenceResolver();
  /// Interpreters created from `options` use the reference kernels. The resolver must outlive them.
  void install(COptions* options);

 private:
  // The object has 150 to 250 bytes in known versions.
  alignas(64) std::byte memory_[4096] = {};
  const Api& api_;
};

}  // namespace edgeprobe::engine::tflite
