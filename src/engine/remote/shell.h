// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/descriptor.h"
#include "core/result.h"
#include "engine/target.h"
#include "process/child.h"
#include "process/output.h"
#include "transport/connection.h"

namespace edgeprobe::engine {

/// A program run by the shell of another machine through the system's ssh or adb; its standard
/// input and output are the connection. Its input is closed with the object or this process.
class ShellProgram final : public transport::Connection {
 public:
  /// `script` is for a POSIX shell. kNotFound if ssh or adb is not installed.
  static Result<std::unique_ptr<ShellProgram>> start(const TargetUri& target,
                                                     const std::string& script);
  ~ShellProgram() override;

  transport::Transfer read(std::byte* to, std::size_t size, std::size_t& got,
                           const transport::Wait& wait) override;
  transport::Transfer wait_readable(const transport::Wait& wait) override;
  transport::Transfer write(std::span<const ByteView> parts, const transport::Wait& wait) override;
  void shut() override;
  const std::string& peer() const override { return peer_; }

  /// The rest of the script's next line that begins with kMark; skips the login shell's own lines.
  /// Nothing if the program exits or is late.
  std::optional<std::string> said(const transport::Wait& wait);
  /// Closes the program's input.
  void end_input();
  /// Stops it; returns its or ssh's standard error output, with advice.
  Error failure(const std::string& step);

  static constexpr const char* kMark = "edgeprobe-target ";

 private:
  ShellProgram(process::Child child, Descriptor socket, Descriptor errors, const TargetUri& target);

  process::Child child_;
  Descriptor input_;  ///< The same socket as the connection's.
  std::unique_ptr<transport::Connection> connection_;
  process::Output errors_;
  std::string peer_;
};

/// The text as one word of a POSIX shell.
std::string shell_word(const std::string& text);

}  // namespace edgeprobe::engine
