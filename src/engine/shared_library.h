// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"

namespace edgeprobe::engine {

/// A shared library opened at run time, with its symbols kept local (RTLD_LOCAL). It is never
/// unloaded: runtimes leave thread pools and thread-local destructors behind.
class SharedLibrary {
 public:
  /// Fails with kNotFound (no such file), kCorrupt (not an ELF file), kUnsupported (another
  /// architecture, or the dynamic loader's own error).
  static Result<SharedLibrary> open(const std::filesystem::path& path);

  /// The address of an exported symbol, or null.
  void* symbol(const char* name) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  SharedLibrary(void* handle, std::filesystem::path path)
      : handle_(handle), path_(std::move(path)) {}
  void* handle_;
  std::filesystem::path path_;
};

/// Fills function pointers from a library and remembers the names of missing ones.
class SymbolReader {
 public:
  explicit SymbolReader(const SharedLibrary& library) : library_(library) {}

  template <class F>
  void required(F*& function, const char* name) {
    optional(function, name);
    if (!function) missing_.emplace_back(name);
  }
  template <class F>
  void optional(F*& function, const char* name) {
    function = reinterpret_cast<F*>(library_.symbol(name));
  }

  /// Success, or kUnsupported naming every missing required symbol. `what` is the kind of library
  /// that was expected.
  Status complete(const std::string& what) const;

 private:
  const SharedLibrary& library_;
  std::vector<std::string> missing_;
};

}  // namespace edgeprobe::engine
