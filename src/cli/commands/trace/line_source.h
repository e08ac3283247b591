// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/bytes.h"
#include "core/result.h"

struct termios;

namespace edgeprobe::cli {

/// Source of a device's bytes: a serial device, a file or pipe, "-" (standard input),
/// "tcp:HOST:PORT", "unix:PATH". The destructor restores a serial device's settings.
class LineSource {
 public:
  /// `baud` is only for serial devices. kUsage for text that is not a source, kNotFound or kTarget
  /// if it cannot be opened.
  static Result<LineSource> open(const std::string& text, int baud);
  LineSource(LineSource&& other) noexcept;
  LineSource& operator=(LineSource&&) = delete;
  ~LineSource();

  enum class State { kBytes, kNothing, kEnd };
  /// Waits at most `wait_ms` for bytes and reads up to 64 KiB. kNothing: none arrived, or a signal
  /// did. kTarget if the source fails.
  Result<State> read(Bytes& bytes, int wait_ms);

 private:
  LineSource(int fd, bool is_owned);
  int fd_ = -1;
  bool is_owned_ = false;
  std::unique_ptr<termios> old_settings_;
};

}  // namespace edgeprobe::cli
