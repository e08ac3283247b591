// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "core/descriptor.h"

namespace edgeprobe::process {

/// Output of a child: the reading end of a pipe and the last bytes from it. Never blocks.
class Output {
 public:
  /// Above `most` bytes, keeps only the last half of `most`.
  Output(Descriptor from, std::size_t most);

  /// -1 once every writer has closed its end.
  int descriptor() const { return from_.get(); }
  /// Reads the available bytes, up to 64 KiB.
  void drain();
  /// Reads the bytes already written, for at most `limit`: a process that the child started may
  /// write indefinitely.
  void drain_rest(std::chrono::milliseconds limit);

  const std::string& text() const { return text_; }
  std::string take() { return std::exchange(text_, {}); }
  void clear() { text_.clear(); }

 private:
  Descriptor from_;
  std::size_t most_;
  std::string text_;
};

}  // namespace edgeprobe::process
