// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <nanobind/nanobind.h>

namespace edgeprobe::python {

/// A Python text as the C ABI wants it: UTF-8, ending in a NUL, valid while this object lives. What
/// came from undecodable bytes (surrogate escapes, as in file names) goes back to those bytes.
class Text {
 public:
  /// Throws UsageError when the text has a NUL inside or is no valid Unicode.
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
