// SPDX-License-Identifier: Apache-2.0
#include "transport/serial.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "core/text.h"

namespace edgeprobe::transport {
namespace {

struct Rate {
  int baud;
  speed_t code;
};
constexpr std::array kRates{
    Rate{9600, B9600},       Rate{19200, B19200},     Rate{38400, B38400},
    Rate{57600, B57600},     Rate{115200, B115200},   Rate{230400, B230400},
    Rate{460800, B460800},   Rate{500000, B500000},   Rate{576000, B576000},
    Rate{921600, B921600},   Rate{1000000, B1000000}, Rate{1152000, B1152000},
    Rate{1500000, B1500000}, Rate{2000000, B2000000}, Rate{2500000, B2500000},
    Rate{3000000, B3000000}, Rate{3500000, B3500000}, Rate{4000000, B4000000},
};

constexpr std::size_t kBitsOfAByte = 10;

/// Limit for sending the remaining bytes when closing, and the polling interval.
constexpr std::chrono::milliseconds kDrain{500}, kLook{5};

Error cannot_open(const SerialLine& line, const std::string& why) {
  return {ErrorKind::kTarget,
          "cannot open serial line " + sanitized(line.path.string()) + ": " + why};
}

std::string words_of(int problem) {
  if (problem == EACCES) return "no permission; on Debian its users are in the group 'dialout'";
  return std::strerror(problem);
}

Status set_up(int terminal, const SerialLine& line) {
  termios mode{};
  if (::tcgetattr(terminal, &mode) != 0) return cannot_open(line, "it is not a terminal");
  ::cfmakeraw(&mode);
  mode.c_cflag &= ~static_cast<tcflag_t>(CSTOPB | PARENB | CRTSCTS | HUPCL);
  mode.c_cflag |= CLOCAL | CREAD | CS8 | (line.flow_control ? CRTSCTS : 0U);
  mode.c_cc[VMIN] = 1;
  mode.c_cc[VTIME] = 0;
  for (const Rate& rate : kRates)
    if (rate.baud == line.baud) ::cfsetspeed(&mode, rate.code);
  if (::tcsetattr(terminal, TCSANOW, &mode) != 0)
    return cannot_open(line, std::string("its settings: ") + std::strerror(errno));
  ::tcflush(terminal, TCIOFLUSH);
  return {};
}

/// If nothing reads the line, close() would block in the kernel for half a minute.
class SerialConnection final : public Connection {
 public:
  SerialConnection(Descriptor line, std::unique_ptr<Connection> connection)
      : line_(std::move(line)), connection_(std::move(connection)) {}
  ~SerialConnection() override {
    const auto deadline = process::deadline_after(kDrain);
    int unsent = 0;
    while (::ioctl(line_.get(), TIOCOUTQ, &unsent) == 0 && unsent > 0 &&
           process::Clock::now() < deadline)
      std::this_thread::sleep_for(kLook);
    if (unsent > 0) ::tcflush(line_.get(), TCOFLUSH);
  }

  Transfer read(std::byte* to, std::size_t size, std::size_t& got, const Wait& wait) override {
    return connection_->read(to, size, got, wait);
  }
  Transfer wait_readable(const Wait& wait) override { return connection_->wait_readable(wait); }
  Transfer write(std::span<const ByteView> parts, const Wait& wait) override {
    return connection_->write(parts, wait);
  }
  void shut() override {}
  const std::string& peer() const override { return connection_->peer(); }

 private:
  Descriptor line_;  ///< The same terminal, opened again.
  std::unique_ptr<Connection> connection_;
};

}  // namespace

const std::vector<int>& serial_rates() {
  static const std::vector<int> rates = [] {
    std::vector<int> all;
    for (const Rate& rate : kRates) all.push_back(rate.baud);
    return all;
  }();
  return rates;
}

std::chrono::milliseconds time_on(const SerialLine& line, std::size_t bytes) {
  return std::chrono::milliseconds(bytes * kBitsOfAByte * 1000 /
                                   static_cast<std::size_t>(line.baud));
}

Result<std::unique_ptr<Connection>> open_serial(const SerialLine& line) {
  // Without O_NONBLOCK it would wait for a carrier.
  Descriptor in(::open(line.path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (in.get() < 0) return cannot_open(line, words_of(errno));
  if (::isatty(in.get()) == 0) return cannot_open(line, "it is not a terminal");
  if (::flock(in.get(), LOCK_EX | LOCK_NB) != 0)
    return cannot_open(line, "another program uses it");
  EP_CHECK(set_up(in.get(), line));
  Descriptor out(::fcntl(in.get(), F_DUPFD_CLOEXEC, 3));
  Descriptor same(::fcntl(in.get(), F_DUPFD_CLOEXEC, 3));
  if (out.get() < 0 || same.get() < 0) return cannot_open(line, std::strerror(errno));
  return std::unique_ptr<Connection>(std::make_unique<SerialConnection>(
      std::move(same), over_pipes(std::move(in), std::move(out), "serial:" + line.path.string())));
}

}  // namespace edgeprobe::transport
