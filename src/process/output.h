// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "core/descriptor.h"

namespace edgeprobe::process {

/// What a child prints: the reading end of a pipe and the last bytes that came through it. Never
/// blocks.
class Output {
 public:
  /// Of more than `most` bytes the last half of `most` is kept.
  Output(Descriptor from, std::size_t most);

  /// -1 once every writer has closed its end.
  int descriptor() const { return from_.get(); }
  /// Takes what is there now, up to 64 KiB.
  void drain();
  /// Takes what is there already, for at most `limit`: something that the child started may go on
  /// writing for ever.
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
