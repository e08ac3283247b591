// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/trace/line_source.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "core/text.h"

namespace edgeprobe::cli {
namespace {

constexpr int kConnectMs = 10'000;
constexpr std::array<std::pair<int, speed_t>, 20> kSpeeds{
    {{1200, B1200},       {2400, B2400},       {4800, B4800},       {9600, B9600},
     {19200, B19200},     {38400, B38400},     {57600, B57600},     {115200, B115200},
     {230400, B230400},   {460800, B460800},   {500000, B500000},   {576000, B576000},
     {921600, B921600},   {1000000, B1000000}, {1152000, B1152000}, {1500000, B1500000},
     {2000000, B2000000}, {2500000, B2500000}, {3000000, B3000000}, {4000000, B4000000}}};

Error failed(const std::string& text, const char* step, int number) {
  // Opening a named pipe waits for its writer, until Ctrl-C.
  const ErrorKind kind = number == ENOENT  ? ErrorKind::kNotFound
                         : number == EINTR ? ErrorKind::kInterrupted
                                           : ErrorKind::kTarget;
  return {kind, "'" + sanitized(text) + "': " + step + ": " + std::strerror(number)};
}

Status set_serial(int fd, const std::string& text, int baud, termios& old) {
  if (::tcgetattr(fd, &old) != 0)
    return failed(text, "cannot read the settings of the serial device", errno);
  termios raw = old;
  ::cfmakeraw(&raw);
  raw.c_cflag |= CLOCAL | CREAD;
  raw.c_cflag &= ~static_cast<tcflag_t>(CSTOPB | CRTSCTS);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  for (const auto& [rate, code] : kSpeeds)
    if (rate == baud) {
      if (::cfsetspeed(&raw, code) != 0 || ::tcsetattr(fd, TCSANOW, &raw) != 0)
        return failed(text,
                      ("cannot set the serial device to " + std::to_string(baud) + " baud").c_str(),
                      errno);
      ::tcflush(fd, TCIFLUSH);
      return {};
    }
  std::string known;
  for (const auto& speed : kSpeeds)
    known += (known.empty() ? "" : ", ") + std::to_string(speed.first);
  return Error{ErrorKind::kUsage,
               "--baud " + std::to_string(baud) + " is not supported; expected one of " + known};
}

// Connects within kConnectMs; returns 0 or the errno.
int connect_in_time(int fd, const sockaddr* address, socklen_t size) {
  if (::connect(fd, address, size) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd wait{fd, POLLOUT, 0};
  const int ready = ::poll(&wait, 1, kConnectMs);
  if (ready == 0) return ETIMEDOUT;
  if (ready < 0) return errno;
  int result = 0;
  socklen_t length = sizeof result;
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &result, &length) == 0 ? result : errno;
}

Result<int> open_tcp(const std::string& text) {
  std::string host = text.substr(4), port;
  const std::size_t colon = host.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == host.size())
    return Error{ErrorKind::kUsage, "'" + sanitized(text) + "': expected tcp:HOST:PORT"};
  port = host.substr(colon + 1);
  host.resize(colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), port.c_str(), &wanted, &found); error != 0)
    return Error{ErrorKind::kNotFound, "'" + sanitized(text) + "': " + ::gai_strerror(error)};
  int error = ENOENT;
  for (const addrinfo* at = found; at; at = at->ai_next) {
    const int fd =
        ::socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
    if (fd < 0) {
      error = errno;
      continue;
    }
    error = connect_in_time(fd, at->ai_addr, at->ai_addrlen);
    if (error == 0) {
      ::freeaddrinfo(found);
      return fd;
    }
    ::close(fd);
  }
  ::freeaddrinfo(found);
  return failed(text, "cannot connect", error);
}

Result<int> open_unix(const std::string& text) {
  const std::string path = text.substr(5);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    return Error{ErrorKind::kUsage, "'" + sanitized(text) +
                                        "': the path of a Unix socket has 1 to " +
                                        std::to_string(sizeof address.sun_path - 1) + " bytes"};
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return failed(text, "cannot make a socket", errno);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  const int error = errno;
  ::close(fd);
  return failed(text, "cannot connect", error);
}

}  // namespace

Result<LineSource> LineSource::open(const std::string& text, int baud) {
  if (text == "-") return LineSource(STDIN_FILENO, false);
  if (text.rfind("tcp:", 0) == 0 || text.rfind("unix:", 0) == 0) {
    EP_TRY(const auto fd, text[0] == 't' ? open_tcp(text) : open_unix(text));
    return LineSource(fd, true);
  }
  // Non-blocking: on a serial device, open() may wait for the other side.
  struct stat what {};
  if (::stat(text.c_str(), &what) != 0) return failed(text, "cannot open", errno);
  if (S_ISDIR(what.st_mode))
    return Error{ErrorKind::kUsage, "'" + sanitized(text) + "' is a folder"};
  if (S_ISSOCK(what.st_mode))
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(text) + "' is a socket: write unix:" + sanitized(text)};
  const int fd = ::open(text.c_str(),
                        O_RDONLY | O_NOCTTY | O_CLOEXEC | (S_ISCHR(what.st_mode) ? O_NONBLOCK : 0));
  if (fd < 0) return failed(text, "cannot open", errno);
  LineSource source(fd, true);
  if (!::isatty(fd)) return source;
  if (::ioctl(fd, TIOCEXCL) != 0) return failed(text, "cannot open it exclusively", errno);
  auto old = std::make_unique<termios>();
  EP_CHECK(set_serial(fd, text, baud, *old));
  source.old_settings_ = std::move(old);
  return source;
}

LineSource::LineSource(int fd, bool is_owned) : fd_(fd), is_owned_(is_owned) {}
LineSource::LineSource(LineSource&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      is_owned_(other.is_owned_),
      old_settings_(std::move(other.old_settings_)) {}

LineSource::~LineSource() {
  if (fd_ < 0 || !is_owned_) return;
  if (old_settings_) {
    ::tcsetattr(fd_, TCSANOW, old_settings_.get());
    ::ioctl(fd_, TIOCNXCL);
  }
  ::close(fd_);
}

Result<LineSource::State> LineSource::read(Bytes& bytes, int wait_ms) {
  pollfd wait{fd_, POLLIN, 0};
  const int ready = ::poll(&wait, 1, wait_ms);
  if (ready == 0 || (ready < 0 && errno == EINTR)) return State::kNothing;
  if (ready < 0)
    return Error{ErrorKind::kTarget, std::string("waiting for bytes: ") + std::strerror(errno)};
  bytes.resize(std::size_t{64} << 10);
  const ssize_t count = ::read(fd_, bytes.data(), bytes.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return State::kNothing;
  // EIO means that a serial device, or the other end of a pseudo-terminal, was unplugged.
  if (count == 0 || (count < 0 && (errno == EIO || errno == ECONNRESET))) return State::kEnd;
  if (count < 0)
    return Error{ErrorKind::kTarget, std::string("reading the line: ") + std::strerror(errno)};
  bytes.resize(static_cast<std::size_t>(count));
  return State::kBytes;
}

}  // namespace edgeprobe::cli
