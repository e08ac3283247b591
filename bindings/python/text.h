// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <nanobind/nanobind.h>

namespace edgeprobe::python {

/// A Python text in the C ABI's form: UTF-8, NUL-terminated, valid during this object's lifetime.
/// Surrogate escapes for undecodable bytes, as in file names, are converted back to those bytes.
class Text {
 public:
  /// Throws UsageError if the text contains a NUL or is not valid Unicode.
  explicit Text(nanobind::str text);
  /// None becomes nullptr.
  explicit Text(const std::optional<nanobind::str>& text);

  const char* c_str() const { return text_; }

 private:
  void take(nanobind::handle text);

  nanobind::object owner_;
  const char* text_ = nullptr;
};

}  // namespace edgeprobe::python
