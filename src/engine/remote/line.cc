// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/line.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "protocol/line_start.h"
#include "protocol/reply.h"

namespace edgeprobe::engine {
namespace {

using namespace std::chrono_literals;
using transport::Connection;
using transport::Transfer;
using transport::Wait;

constexpr std::size_t kPiece = 4096;
constexpr auto kWriteLimit = 1s;
/// On the first PING, a server with another client ends that connection, and answers the next PING.
/// A server in the middle of a message takes PINGs for its bytes until the line is silent; one that
/// repeats inferences for a lost client does so for up to 10 s.
constexpr std::array<std::chrono::milliseconds, 7> kPingLimits{
    1s, 1s, protocol::kLineSilence + 2s, 1s, 1s, 2s, 2s};

/// The bytes of a message on a line, with its checksum.
Bytes on_line(const protocol::Outgoing& message) {
  protocol::Writing writing;
  writing.checksum = true;
  auto bytes = protocol::to_bytes(message, writing);
  return bytes ? *std::move(bytes) : Bytes();
}

Status send_ping(Connection& line, std::uint16_t flags) {
  const Bytes ping = on_line(protocol::ping(flags));
  const ByteView whole(ping);
  if (line.write({&whole, 1}, {process::deadline_after(kWriteLimit)}) != Transfer::kDone)
    return Error{ErrorKind::kTarget, "the line takes no bytes"};
  return {};
}

/// True if the PING was answered. Other bytes are noise or belong to an earlier client, and
/// messages may lack their beginnings, so this searches all bytes for the answer.
bool is_answered(Connection& line, const Wait& wait) {
  const auto success = protocol::Reply::success(protocol::Type::kPing, protocol::Generation::kG4);
  const Bytes answer = on_line(success.message());
  Bytes came;
  while (std::search(came.begin(), came.end(), answer.begin(), answer.end()) == came.end()) {
    if (came.size() > answer.size())
      came.erase(came.begin(), came.end() - static_cast<std::ptrdiff_t>(answer.size()));
    const std::size_t before = came.size();
    came.resize(before + kPiece);
    std::size_t got = 0;
    if (line.read(came.data() + before, kPiece, got, wait) != Transfer::kDone) return false;
    came.resize(before + got);
  }
  return true;
}

class LineToServer final : public Connection {
 public:
  explicit LineToServer(std::unique_ptr<Connection> line) : line_(std::move(line)) {}
  ~LineToServer() override { (void)send_ping(*line_, protocol::flag::kFail); }

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

Result<std::unique_ptr<Connection>> line_to_server(const transport::SerialLine& line) {
  EP_TRY(auto opened, transport::open_serial(line));
  for (const auto limit : kPingLimits) {
    pass_over_unread(*opened);
    if (auto sent = send_ping(*opened, protocol::flag::kSuccess); !sent)
      return std::move(sent.error()).during(opened->peer());
    if (is_answered(*opened, {process::deadline_after(limit)}))
      return std::unique_ptr<Connection>(std::make_unique<LineToServer>(std::move(opened)));
  }
  return Error{ErrorKind::kTarget,
               opened->peer() +
                   ": no answer to PING: no server runs there ('edgeprobe serve --listen "
                   "serial:/dev/NAME'), or with another rate (?baud=)"};
}

}  // namespace edgeprobe::engine
