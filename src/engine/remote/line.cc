// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/line.h"

#include <array>
#include <span>
#include <utility>

#include "protocol/message_reader.h"
#include "protocol/reply.h"

namespace edgeprobe::engine {
namespace {

using namespace std::chrono_literals;
using protocol::Generation;
using transport::Connection;
using transport::Transfer;
using transport::Wait;

constexpr std::int64_t kBitsOfAByte = 10;  ///< With its start and its stop.
constexpr std::uint64_t kLongestAnswer = std::uint64_t{1} << 16;
constexpr auto kWriteLimit = 1s;
/// A server that had another client ends that one with the first PING and answers the next. One
/// that is within a message takes PINGs for its bytes until the line was silent.
constexpr std::array<std::chrono::milliseconds, 5> kPingLimits{1s, 1s, kLineSilence + 2s, 1s, 1s};

Status ping(Connection& line, std::uint16_t flags) {
  protocol::Outgoing message = protocol::request(protocol::Type::kPing);
  message.flags = flags;
  protocol::Writing writing;
  writing.checksum = true;
  const auto bytes = protocol::to_bytes(message, writing);
  if (!bytes) return Error(bytes.error());
  const ByteView whole(*bytes);
  if (line.write({&whole, 1}, {process::deadline_after(kWriteLimit)}) != Transfer::kDone)
    return Error{ErrorKind::kTarget, "the line takes no bytes"};
  return {};
}

/// Whether a PING was answered. What else comes is of an earlier client.
bool is_answered(Connection& line, const Wait& wait) {
  protocol::MessageReader reader(Generation::kG4, kLongestAnswer);
  while (true) {
    const auto message = reader.next();
    if (!message) return false;  // Noise.
    if (!*message) {
      const protocol::Space space = reader.space();
      std::size_t got = 0;
      if (line.read(space.at, space.size, got, wait) != Transfer::kDone) return false;
      reader.advance(got);
      continue;
    }
    const auto answer = read_answer(**message, protocol::Type::kPing, Generation::kG4);
    if (answer) return answer->ok;
  }
}

void pass_over_unread(Connection& line) {
  std::array<std::byte, 4096> unread{};
  std::size_t got = 0;
  const Wait now{process::Clock::now()};
  for (int i = 0; i < 256; ++i)
    if (line.read(unread.data(), unread.size(), got, now) != Transfer::kDone) return;
}

class LineToServer final : public Connection {
 public:
  explicit LineToServer(std::unique_ptr<Connection> line) : line_(std::move(line)) {}
  ~LineToServer() override { (void)ping(*line_, protocol::flag::kFail); }

  Transfer read(std::byte* to, std::size_t size, std::size_t& got, const Wait& wait) override {
    return line_->read(to, size, got, wait);
  }
  Transfer wait_readable(const Wait& wait) override { return line_->wait_readable(wait); }
  Transfer write(std::span<const ByteView> parts, const Wait& wait) override {
    return line_->write(parts, wait);
  }
  void shut() override { line_->shut(); }
  const std::string& peer() const override { return line_->peer(); }

 private:
  std::unique_ptr<Connection> line_;
};

}  // namespace

std::chrono::seconds time_on(const transport::SerialLine& line, std::size_t bytes) {
  const auto bits = static_cast<std::int64_t>(bytes) * kBitsOfAByte;
  return std::chrono::seconds(bits / line.baud + 1);
}

Result<std::unique_ptr<Connection>> line_to_server(const transport::SerialLine& line) {
  auto opened = transport::open_serial(line);
  if (!opened) return std::move(opened).error();
  for (const auto limit : kPingLimits) {
    pass_over_unread(**opened);
    if (auto sent = ping(**opened, protocol::flag::kSuccess); !sent)
      return std::move(sent.error()).during((*opened)->peer());
    if (is_answered(**opened, {process::deadline_after(limit)}))
      return std::unique_ptr<Connection>(std::make_unique<LineToServer>(*std::move(opened)));
  }
  return Error{ErrorKind::kTarget,
               (*opened)->peer() +
                   ": no answer to PING: nobody serves there ('edgeprobe serve --listen "
                   "serial:/dev/NAME'), or with another rate (?baud=)"};
}

}  // namespace edgeprobe::engine
