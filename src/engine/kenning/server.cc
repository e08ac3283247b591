// SPDX-License-Identifier: Apache-2.0
#include "engine/kenning/server.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/text.h"
#include "engine/serial_line.h"
#include "protocol/logs.h"
#include "protocol/reply.h"
#include "transport/dial.h"

namespace edgeprobe::engine::kenning {
namespace {

using namespace std::chrono_literals;
using protocol::Type;
using transport::Transfer;

constexpr auto kConnectLimit = 10s;
/// A device that is starting ignores the first PINGs.
constexpr int kPings = 6;
constexpr auto kPingLimit = 1s;
/// While an answer is arriving, the limit starts again after each piece of this size; on a serial
/// line, after each byte.
constexpr std::size_t kPiece = std::size_t{64} << 10;
constexpr std::uint64_t kLongestAnswer = std::uint64_t{1} << 30;
constexpr std::size_t kMostLogs = 4;
/// Limit for the STATS at the end of a session, whose values are not used.
constexpr auto kEndLimit = 2s;
/// Largest message on a serial line, including its header, as in Kenning.
constexpr std::size_t kSerialPart = 136;

bool is_answered_with_data(Type type) { return type == Type::kOutput || type == Type::kStatistics; }

std::string seconds(std::chrono::milliseconds time) {
  return number(static_cast<double>(time.count()) / 1e3) + " s";
}

/// Without a given generation: g4, that of the newest servers.
Manner manner_of(const TargetUri& target) {
  Manner manner = manner_from_name(value_of(target.parameters, "generation")).value_or(Manner{});
  manner.is_serial = !target.path.empty();
  return manner;
}

}  // namespace

Server::Server(const TargetUri& target)
    : target_(target), manner_(manner_of(target)), address_(to_string(target)) {}

Server::~Server() {
  // After a broken connection, its server keeps sampling.
  if (is_sampling_ && !connection_ && !process::is_program_stopped())
    (void)connect_within(kEndLimit);
  leave();
}

void Server::end_sampling() {
  if (!connection_ || !std::exchange(is_sampling_, false)) return;
  if (send(protocol::request(Type::kStatistics, {}), kEndLimit))
    (void)answer_to(Type::kStatistics, kEndLimit);
}

void Server::leave() {
  // Kenning's servers up to 0.8.0 serve the next session only once they have stopped sampling.
  end_sampling();
  // A device on a serial line cannot detect the end of a connection.
  if (connection_ && manner_.is_serial && !protocol::is_plain(manner_.generation) &&
      send(protocol::ping(protocol::flag::kFail), kPingLimit))
    (void)receive(Type::kPing, kPingLimit);
  disconnect();
}

Result<std::shared_ptr<Server>> Server::open(const TargetUri& target) {
  static std::mutex opening;
  static std::map<std::string, std::weak_ptr<Server>> servers;
  const std::lock_guard lock(opening);
  auto& known = servers[to_string(target)];
  if (auto server = known.lock()) return server;
  std::shared_ptr<Server> server(new Server(target));
  EP_CHECK(server->connect());
  known = server;
  return server;
}

Status Server::connect() { return connect_within(kConnectLimit); }

Status Server::connect_within(std::chrono::milliseconds limit) {
  if (connection_) return {};
  EP_TRY(connection_, manner_.is_serial
                          ? transport::open_serial(serial_line_of(target_))
                          : transport::dial({target_.host, target_.port.value_or(0), {}},
                                            {process::deadline_after(limit)},
                                            "Kenning's server ('kenning server')"));
  reader_.emplace(manner_.generation, kLongestAnswer);
  auto met = manner_.is_serial ? ping() : greet();
  if (!met) return std::move(met.error()).during(address_);
  end_sampling();
  if (!connection_)
    return Error{ErrorKind::kTarget, "the connection was closed at its beginning"}.during(address_);
  return {};
}

Status Server::greet() {
  const ByteView expected = protocol::greeting(manner_.generation);
  if (expected.empty()) return {};
  std::byte byte{};
  std::size_t got = 0;
  const Transfer came = connection_->read(&byte, 1, got, {process::deadline_after(kConnectLimit)});
  if (came == Transfer::kDone && byte == expected.data[0]) return {};
  if (came == Transfer::kDone) return broken("its first byte is not a greeting");
  if (came == Transfer::kLate)
    return broken(
        "no greeting within 10 s; it serves another client, or is of g1 or g2, whose "
        "servers do not greet clients");
  return broken("the server closed the connection instead of greeting");
}

Status Server::ping() {
  // g2 devices do not have this.
  if (protocol::is_plain(manner_.generation)) return {};
  for (int i = 0; i < kPings; ++i) {
    // Bytes already on the line, possibly noise, are not an answer.
    pass_over_unread(*connection_);
    reader_.emplace(manner_.generation, kLongestAnswer);
    EP_CHECK(send(protocol::ping(protocol::flag::kSuccess), kPingLimit));
    const auto answer = receive(Type::kPing, kPingLimit);
    const auto* const unanswered = std::get_if<Unanswered>(&answer);
    if (!unanswered) return {};
    if (unanswered->refused) return broken("the device refuses to be connected");
  }
  return broken(
      "no answer to PING within 6 s: the device is off or needs a reset, or its line has "
      "another rate (?baud=)");
}

Error Server::broken(const std::string& why) {
  disconnect();
  std::string what = why;
  if (!has_answered_)
    what += std::string("; it was spoken to as ") + manner_.name +
            ", other generations are named as in " +
            (manner_.is_serial ? "kenning:/dev/NAME" : "kenning://HOST:PORT") +
            "?generation=" + (manner_.generation == protocol::Generation::kG2 ? "g4" : "g2") +
            " (g1, g1-iospec, g2, g3, g3-late, g4)";
  return {ErrorKind::kTarget, std::move(what)};
}

void Server::disconnect() {
  // Closing a TCP connection with unread bytes resets it, after which some Kenning servers accept
  // no further client.
  if (connection_) pass_over_unread(*connection_);
  connection_.reset();
  model_of_ = 0;
}

Status Server::send(const protocol::Outgoing& message, std::chrono::milliseconds limit) {
  protocol::Writing writing;
  writing.generation = manner_.generation;
  if (manner_.is_serial) {
    writing.longest_part = kSerialPart;
    writing.checksum = !protocol::is_plain(manner_.generation);
  }
  EP_TRY(const auto parts, protocol::parts_of(message, writing));
  for (const protocol::Part& part : parts) {
    const std::array pieces{ByteView(part.header), part.payload};
    auto patience = limit;
    if (manner_.is_serial)
      patience += transport::time_on(serial_line_of(target_), part.payload.size);
    const Transfer sent = connection_->write(pieces, {process::deadline_after(patience)});
    if (sent == Transfer::kLate)
      return broken(std::string("no more of ") + protocol::name(message.type) +
                    " was taken within " + seconds(patience));
    // A refusing server may have answered and closed: read its message first.
    if (sent != Transfer::kDone) break;
  }
  return {};
}

std::variant<Bytes, Server::Unanswered> Server::receive(Type type,
                                                        std::chrono::milliseconds limit) {
  const std::string request = protocol::name(type);
  auto deadline = process::deadline_after(limit);
  for (std::size_t since = 0;;) {
    auto message = reader_->next();
    if (!message)
      return Unanswered{"the message received instead of an answer to " + request +
                        " makes no sense: " + message.error().what};
    if (!*message) {
      const protocol::Space space = reader_->space();
      std::size_t got = 0;
      const Transfer taken = connection_->read(space.at, space.size, got, {deadline});
      if (taken == Transfer::kLate)
        return Unanswered{(reader_->is_idle() ? "no answer to " : "no whole answer to ") + request +
                          " within " + seconds(limit)};
      if (taken != Transfer::kDone)
        return Unanswered{"the connection was closed instead of an answer to " + request};
      reader_->advance(got);
      since += got;
      if (since >= (manner_.is_serial ? 1 : kPiece)) {
        since = 0;
        deadline = process::deadline_after(limit);
      }
      continue;
    }
    const protocol::Header& header = (*message)->header;
    if (manner_.is_serial && !(*message)->checksum_right)
      return Unanswered{"the checksum of the message received after " + request +
                        " is wrong: the line lost or changed bytes"};
    if (header.type == Type::kLogs) {
      for (std::string& entry : protocol::read_logs((*message)->bytes()))
        logs_.push_back(std::move(entry));
      if (logs_.size() > kMostLogs) logs_.erase(logs_.begin(), logs_.end() - kMostLogs);
      continue;
    }
    const auto answer = protocol::read_answer(**message, type, manner_.generation);
    if (!answer) continue;
    // Acknowledges the request; the data follow.
    if (answer->ok && is_answered_with_data(type) && header.flow == protocol::Flow::kAcknowledge)
      continue;
    if (!answer->is_of_request)
      return Unanswered{"the answer to " + request + " is that of another request"};
    has_answered_ = true;
    if (answer->ok) return answer->data.copy();
    Unanswered refusal{"the server refused " + request, true};
    for (std::size_t i = 0; i < logs_.size(); ++i)
      refusal.why += (i == 0 ? ": " : " ") + sanitized(logs_[i], 300);
    return refusal;
  }
}

Result<Bytes> Server::answer_to(Type type, std::chrono::milliseconds limit) {
  auto answer = receive(type, limit);
  if (auto* const data = std::get_if<Bytes>(&answer)) return std::move(*data);
  const auto& unanswered = std::get<Unanswered>(answer);
  if (unanswered.refused) return Error{ErrorKind::kTarget, unanswered.why};
  return broken(unanswered.why);
}

Result<Bytes> Server::ask(Type type, ByteView payload, std::chrono::milliseconds limit) {
  EP_CHECK(connect());
  logs_.clear();
  EP_CHECK(send(protocol::request(type, payload), limit));
  auto answer = answer_to(type, limit);
  // The first OK acknowledges PROCESS, the second reports its completion.
  if (answer && type == Type::kProcess && manner_.two_oks()) answer = answer_to(type, limit);
  // A server samples from MODEL on, even if it refuses the model. Devices on a serial line never
  // do.
  const bool answered = answer || connection_;
  if (type == Type::kModel && answered && protocol::is_plain(manner_.generation))
    is_sampling_ = !manner_.is_serial;
  if (type == Type::kStatistics && answered) is_sampling_ = false;
  return answer;
}

}  // namespace edgeprobe::engine::kenning
