// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace edgeprobe::audio {

/// A library of the system that is opened when it is first asked for, and stays open.
class SharedObject {
 public:
  explicit SharedObject(const char* file);
  bool is_open() const { return handle_ != nullptr; }
  /// Null when the library, or the function in it, is not there.
  void* find(const char* symbol) const;

 private:
  void* handle_ = nullptr;
};

}  // namespace edgeprobe::audio
