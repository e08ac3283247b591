// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace edgeprobe::audio {

/// A system library that is loaded on first use and stays loaded.
class SharedObject {
 public:
  explicit SharedObject(const char* file);
  bool is_open() const { return handle_ != nullptr; }
  /// Null if the library or the function is missing.
  void* find(const char* symbol) const;

 private:
  void* handle_ = nullptr;
};

}  // namespace edgeprobe::audio
