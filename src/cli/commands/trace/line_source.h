// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/bytes.h"
#include "core/result.h"

struct termios;

namespace edgeprobe::cli {

/// Where a device's bytes come from: a serial device, a file or pipe, "-" (standard input),
/// "tcp:HOST:PORT", "unix:PATH". A serial device gets its old settings back when this is destroyed.
class LineSource {
 public:
  /// `baud` is for serial devices alone. kUsage for text that names no source, kNotFound or kTarget
  /// when it cannot be opened.
  static Result<LineSource> open(const std::string& text, int baud);
  LineSource(LineSource&& other) noexcept;
  LineSource& operator=(LineSource&&) = delete;
  ~LineSource();

  enum class State { kBytes, kNothing, kEnd };
  /// Waits at most `wait_ms` for bytes and takes up to 64 KiB. kNothing: none came, or a signal
  /// did. kTarget when the source fails.
  Result<State> read(Bytes& bytes, int wait_ms);

 private:
  LineSource(int fd, bool is_owned);
  int fd_ = -1;
  bool is_owned_ = false;
  std::unique_ptr<termios> old_settings_;
};

}  // namespace edgeprobe::cli
