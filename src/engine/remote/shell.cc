// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/shell.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.h"
#include "process/pipe.h"

namespace edgeprobe::engine {
namespace {

using namespace std::chrono_literals;
using transport::Transfer;
using transport::Wait;

constexpr std::size_t kWordsKept = 8192;
/// Limit for a shell that never runs the script: a menu, a login prompt.
constexpr std::size_t kMostBefore = std::size_t{1} << 16;
constexpr auto kEndLimit = 3s;
constexpr auto kLastWordsLimit = 100ms;

/// The program that connects, up to the command. The user's configuration of ssh applies: names,
/// keys, agents, jump hosts.
std::vector<std::string> way_there(const TargetUri& target) {
  if (target.transport == Transport::kAdb) return {"adb", "-s", target.serial, "shell", "-T"};
  std::vector<std::string> words{"ssh", "-T", "-a", "-x"};
  for (const char* const option :
       {"BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=10", "ServerAliveCountMax=2",
        "ClearAllForwardings=yes", "RemoteCommand=none", "LogLevel=ERROR"})
    words.insert(words.end(), {"-o", option});
  if (target.port) words.insert(words.end(), {"-p", std::to_string(*target.port)});
  if (!target.user.empty()) words.insert(words.end(), {"-l", target.user});
  words.insert(words.end(), {"--", target.host});
  return words;
}

/// Advice for a message of ssh or adb; "" if the message suffices.
const char* remedy(std::string_view words) {
  struct Row {
    const char* words;
    const char* remedy;
  };
  constexpr std::array kRows{
      Row{"Permission denied (",
          "; put a key of yours there (ssh-copy-id), since no one is asked "
          "for a password here"},
      Row{"Host key verification failed",
          "; connect once by 'ssh' yourself, to see the machine's key and accept it"},
      Row{"No space left",
          "; make room there, or let XDG_CACHE_HOME of that machine name another "
          "folder"},
      Row{"sha256sum: not found", "; install it there, or start 'edgeprobe serve' there yourself"},
  };
  for (const Row& row : kRows)
    if (words.find(row.words) != std::string_view::npos) return row.remedy;
  return "";
}

/// If the user stopped the program, do not wait for a silent shell.
std::chrono::milliseconds end_limit() {
  return process::is_program_stopped() ? kLastWordsLimit : std::chrono::milliseconds(kEndLimit);
}

}  // namespace

std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) c == '\'' ? word += "'\\''" : word += c;
  return word + "'";
}

Result<std::unique_ptr<ShellProgram>> ShellProgram::start(const TargetUri& target,
                                                          const std::string& script) {
  EP_TRY(auto ends, process::socket_pair());
  EP_TRY(auto errors, process::pipe_from_child());
  process::Command command;
  command.arguments = way_there(target);
  command.program = command.arguments.front();
  // The login shell of that machine may be of any kind.
  command.arguments.push_back("exec sh -c " + shell_word(script));
  command.descriptors = {{ends.theirs.get(), 0}, {ends.theirs.get(), 1}, {errors.theirs.get(), 2}};
  auto child = process::Child::start(command);
  if (!child)
    return Error{ErrorKind::kNotFound,
                 "cannot start '" + command.program + "', which leads to " + shown(target) + ": " +
                     child.error().what + "; install it (Debian: " +
                     (command.program == "adb" ? "adb" : "openssh-client") + ")"};
  return std::unique_ptr<ShellProgram>(
      new ShellProgram(*std::move(child), std::move(ends.ours), std::move(errors.ours), target));
}

ShellProgram::ShellProgram(process::Child child, Descriptor socket, Descriptor errors,
                           const TargetUri& target)
    : child_(std::move(child)),
      input_(::fcntl(socket.get(), F_DUPFD_CLOEXEC, 3)),
      connection_(transport::over_socket(std::move(socket), "")),
      errors_(std::move(errors), kWordsKept),
      peer_(shown(target)) {}

ShellProgram::~ShellProgram() {
  // The remote program exits when its input ends; then ssh exits.
  input_.close();
  connection_.reset();
  child_.end(end_limit());
}

Transfer ShellProgram::read(std::byte* to, std::size_t size, std::size_t& got, const Wait& wait) {
  return connection_->read(to, size, got, wait);
}

Transfer ShellProgram::wait_readable(const Wait& wait) { return connection_->wait_readable(wait); }

Transfer ShellProgram::write(std::span<const ByteView> parts, const Wait& wait) {
  errors_.drain();  // A full pipe would block ssh.
  return connection_->write(parts, wait);
}

void ShellProgram::shut() { connection_->shut(); }

void ShellProgram::end_input() { ::shutdown(input_.get(), SHUT_WR); }

std::optional<std::string> ShellProgram::said(const Wait& wait) {
  std::string line;
  for (std::size_t i = 0; i < kMostBefore; ++i) {
    // Byte by byte: data after the line belongs to another reader.
    std::byte byte{};
    std::size_t got = 0;
    if (connection_->read(&byte, 1, got, wait) != Transfer::kDone) return std::nullopt;
    if (static_cast<char>(byte) != '\n') {
      line += static_cast<char>(byte);
      continue;
    }
    if (line.starts_with(kMark)) return line.substr(std::string_view(kMark).size());
    line.clear();
  }
  return std::nullopt;
}

Error ShellProgram::failure(const std::string& step) {
  end_input();
  const process::Exit exit = child_.end(end_limit());
  errors_.drain_rest(kLastWordsLimit);
  std::string printed = errors_.take();
  std::erase(printed, '\r');  // OpenSSH ends its lines with a carriage return.
  std::string words = last_line(printed, 500);
  if (words.empty())
    words = exit.signal != 0 ? "it did not answer in time"
                             : "it ended with " + exit.name() + " and said nothing";
  return {ErrorKind::kTarget, peer_ + ": " + step + ": " + words + remedy(printed)};
}

}  // namespace edgeprobe::engine
