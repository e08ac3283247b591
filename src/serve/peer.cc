// SPDX-License-Identifier: Apache-2.0
#include "serve/peer.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "protocol/line_start.h"
#include "protocol/logs.h"
#include "protocol/message.h"
#include "protocol/reply.h"

namespace edgeprobe::serve {
namespace {

using process::Transfer;
using protocol::Generation;

constexpr std::size_t kTellingBytes = 4;
constexpr std::chrono::milliseconds kSilence = protocol::kLineSilence;
/// Time limit for a TLS client to read its refusal.
constexpr std::chrono::milliseconds kRefusalTime{500};
/// Maximum time for which a client that was refused may go on with its message.
constexpr std::chrono::milliseconds kRestTime{2000};

/// Maximum part on a serial line, including the header: Kenning's own.
constexpr std::size_t kLinePart = 136;
/// Bytes written to a line at once; each piece has a message's time limit.
constexpr std::size_t kLinePiece = 2048;
/// Minimum average bytes per second of a message once its silence limit has passed: this
/// distinguishes a slow link from a client that drips bytes.
constexpr std::int64_t kSlowest = 1000, kSlowestOnLine = 100;
constexpr std::chrono::hours kLongest{24 * 365};

Error gone(const std::string& peer, Transfer transfer) {
  if (transfer == Transfer::kStopped) return {ErrorKind::kInterrupted, "the server stops"};
  return {ErrorKind::kTarget,
          peer + (transfer == Transfer::kLate ? ": the client was silent for too long"
                                              : ": the client is gone")};
}

}  // namespace

Error no_memory() {
  return {ErrorKind::kLimit, "it needs more memory than this server has (serve --memory)"};
}

process::Wait Peer::wait(std::chrono::milliseconds limit) const {
  return {process::deadline_after(limit), stop_};
}

Transfer Peer::read_first(std::size_t size, std::chrono::milliseconds limit) {
  // A message in progress has its usual time limit.
  auto patience = wait(limit);
  while (first_.size() < size) {
    const std::size_t before = first_.size();
    std::array<std::byte, transport::kTlsTellingBytes> bytes{};
    std::size_t got = 0;
    const Transfer done = connection_->read(bytes.data(), size - before, got, patience);
    if (done != Transfer::kDone) return done;
    if (before == 0) patience = wait(options_.limits.message);
    first_.insert(first_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(got));
  }
  return Transfer::kDone;
}

bool Peer::refuse_tls() {
  if (first_[0] != transport::kTlsHandshake || first_[1] != transport::kTlsMajorVersion ||
      read_first(transport::kTlsTellingBytes, options_.limits.message) != Transfer::kDone ||
      !transport::is_client_hello(first_))
    return false;
  const ByteView parts[] = {transport::tls_refusal()};
  (void)connection_->write(parts, wait(kRefusalTime));
  pass_over_rest();
  return true;
}

Status Peer::meet_on_line() {
  const auto only = options_.protocol;
  while (true) {
    std::array<std::byte, 256> bytes{};
    std::size_t got = 0;
    // A possible beginning is noise if nothing follows.
    const auto patience = wait(first_.empty() ? std::chrono::milliseconds::max() : kSilence);
    const Transfer done = connection_->read(bytes.data(), bytes.size(), got, patience);
    if (done == Transfer::kLate) first_.clear();
    if (done == Transfer::kLate) continue;
    if (done != Transfer::kDone) return gone(name(), done);
    first_.insert(first_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(got));
    const protocol::LineStart start = protocol::find_line_start(first_, only);
    first_.erase(first_.begin(), first_.begin() + static_cast<std::ptrdiff_t>(start.noise));
    if (!start.generation) continue;
    generation_ = only.value_or(*start.generation);
    reader_.emplace(generation_, options_.limits.longest_message, place_);
    return {};
  }
}

Status Peer::meet() {
  if (is_on_serial_line()) return meet_on_line();
  if (options_.protocol) {
    generation_ = *options_.protocol;
    EP_CHECK(greet());
  } else {
    const Transfer early = read_first(kTellingBytes, options_.limits.greeting);
    if (early == Transfer::kDone) {
      if (refuse_tls())
        return Error{ErrorKind::kTarget,
                     "the client speaks TLS, and this server was started without --tls-cert"};
      generation_ = protocol::generation_before_greeting(first_).value();
    } else if (early == Transfer::kLate && first_.empty()) {
      generation_ = Generation::kG4;
      EP_CHECK(greet());
      if (const Transfer late = read_first(kTellingBytes, options_.limits.idle);
          late != Transfer::kDone)
        return gone(name(), late);
      generation_ = protocol::generation_after_greeting(first_).value();
    } else {
      return gone(name(), early);
    }
  }
  reader_.emplace(generation_, options_.limits.longest_message, place_);
  return {};
}

Status Peer::greet() {
  const ByteView greeting = protocol::greeting(generation_);
  if (greeting.empty()) return {};
  const ByteView parts[] = {greeting};
  const Transfer sent = connection_->write(parts, wait(options_.limits.message));
  if (sent != Transfer::kDone) return gone(name(), sent);
  return {};
}

std::chrono::milliseconds Peer::silence_limit() const {
  return is_on_serial_line() ? std::min(kSilence, options_.limits.message)
                             : options_.limits.message;
}

process::Wait Peer::wait_for_more(process::Clock::time_point begun, std::size_t came) const {
  const auto grace = std::chrono::milliseconds(1000 * static_cast<std::int64_t>(came) /
                                               (is_on_serial_line() ? kSlowestOnLine : kSlowest));
  const auto whole = options_.limits.message < std::chrono::milliseconds::max() - grace
                         ? options_.limits.message + grace
                         : std::chrono::milliseconds::max();
  auto patience = wait(silence_limit());
  patience.deadline =
      std::min(patience.deadline, begun + std::min<std::chrono::milliseconds>(whole, kLongest));
  return patience;
}

Error Peer::late(bool begun) const {
  if (!begun)
    return {ErrorKind::kLimit,
            "no request came within " + std::to_string(options_.limits.idle.count()) + " ms"};
  return {ErrorKind::kLimit, "a message did not come to its end: nothing of it came for " +
                                 std::to_string(silence_limit().count()) + " ms, or less than " +
                                 std::to_string(is_on_serial_line() ? kSlowestOnLine : kSlowest) +
                                 " bytes a second"};
}

/// For g2: its clients leave without a message.
Result<bool> Peer::is_another_client() {
  if (!is_on_serial_line() || !protocol::is_plain(generation_) || !reader_->is_idle()) return false;
  while (true) {
    std::array<std::byte, 256> bytes{};
    std::size_t got = 0;
    const auto patience = wait(first_.empty() ? options_.limits.idle : silence_limit());
    const Transfer done = connection_->read(bytes.data(), bytes.size(), got, patience);
    if (done == Transfer::kLate) {
      if (first_.empty()) return late(false);
      return false;
    }
    if (done != Transfer::kDone) return true;
    first_.insert(first_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(got));
    const protocol::LineStart start = protocol::find_line_start(first_);
    if (start.noise > 0 || start.generation == generation_) return false;
    if (start.generation) return true;
  }
}

Result<std::optional<protocol::Message>> Peer::read() {
  EP_TRY(const bool is_over, is_another_client());
  if (is_over) return std::optional<protocol::Message>();
  while (!first_.empty()) {
    const protocol::Space space = reader_->space();
    const std::size_t size = std::min(space.size, first_.size());
    std::copy_n(first_.begin(), size, space.at);
    first_.erase(first_.begin(), first_.begin() + static_cast<std::ptrdiff_t>(size));
    reader_->advance(size);
    auto message = reader_->next();
    if (!message || *message) return message;
  }
  if (auto message = reader_->next(); !message || *message) return message;
  bool begun = !reader_->is_idle();
  auto began = process::Clock::now();
  std::size_t came = 0;
  auto patience = begun ? wait_for_more(began, came) : wait(options_.limits.idle);
  while (true) {
    const protocol::Space space = reader_->space();
    std::size_t got = 0;
    switch (connection_->read(space.at, space.size, got, patience)) {
      case Transfer::kDone: break;
      case Transfer::kLate: return late(begun);
      default: return std::optional<protocol::Message>();
    }
    if (!std::exchange(begun, true)) began = process::Clock::now();
    came += got;
    patience = wait_for_more(began, came);
    reader_->advance(got);
    auto message = reader_->next();
    if (!message || *message) return message;
  }
}

bool Peer::says_more(std::chrono::milliseconds limit) {
  return !first_.empty() || !reader_->is_idle() ||
         connection_->wait_readable(wait(limit)) == Transfer::kDone;
}

Status Peer::send(const protocol::Outgoing& message) {
  protocol::Writing writing;
  writing.generation = generation_;
  if (is_on_serial_line()) {
    writing.longest_part = kLinePart;
    writing.checksum = !protocol::is_plain(generation_);
  }
  Bytes whole;  // Borrowed by the parts.
  protocol::Outgoing outgoing = message;
  if (is_on_serial_line() && message.type == protocol::Type::kExtension) {
    whole = protocol::sealed(message.payload);
    outgoing.payload = whole;
  }
  EP_TRY(auto parts, protocol::parts_of(outgoing, writing));
  std::vector<ByteView> pieces;
  for (const protocol::Part& part : parts) {
    pieces.emplace_back(part.header);
    pieces.push_back(part.payload);
  }
  return send_pieces(pieces);
}

Status Peer::send(const protocol::Outgoing& message, const std::vector<ByteView>& payload) {
  if (is_on_serial_line()) {
    Bytes joined;
    for (const ByteView piece : payload) joined.insert(joined.end(), piece.begin(), piece.end());
    protocol::Outgoing whole = message;
    whole.payload = joined;
    return send(whole);
  }
  std::size_t size = 0;
  for (const ByteView piece : payload) size += piece.size;
  EP_TRY(const Bytes head, protocol::head_of(message, size, generation_));
  std::vector<ByteView> pieces{head};
  pieces.insert(pieces.end(), payload.begin(), payload.end());
  return send_pieces(pieces);
}

Status Peer::send_pieces(const std::vector<ByteView>& pieces) {
  const std::lock_guard lock(sending_);
  if (is_on_serial_line()) return send_slowly(pieces);
  // An answer in progress is completed, even if the server stops.
  const process::Wait patience{process::deadline_after(options_.limits.message)};
  const Transfer sent = connection_->write(pieces, patience);
  if (sent != Transfer::kDone) return gone(name(), sent);
  return {};
}

Status Peer::send_slowly(const std::vector<ByteView>& pieces) {
  for (const ByteView piece : pieces)
    for (std::size_t at = 0; at < piece.size; at += kLinePiece) {
      const ByteView some = piece.sub(at, std::min(kLinePiece, piece.size - at));
      const process::Wait patience{process::deadline_after(options_.limits.message), &left_};
      if (const Transfer sent = connection_->write({&some, 1}, patience); sent != Transfer::kDone)
        return gone(name(), sent);
    }
  return {};
}

Status Peer::log(std::string_view text) {
  if (!protocol::number_of(protocol::Type::kLogs, generation_)) return {};
  const Bytes payload = protocol::write_logs(text);
  protocol::Outgoing logs = protocol::request(protocol::Type::kLogs, payload);
  logs.flow = protocol::Flow::kTransmission;
  logs.flags = protocol::flag::kKenning;
  return send(logs);
}

Status Peer::fail(const protocol::Header& request, std::string_view why) {
  EP_CHECK(log("[ERROR] " + std::string(why)));
  return send(protocol::Reply::failure(request, generation_).message());
}

void Peer::give_up(std::string_view why) {
  const protocol::Header header = reader_->last_header();
  reader_.emplace(generation_, options_.limits.longest_message);
  (void)fail(header, why);
  pass_over_rest();
}

void Peer::pass_over_rest() {
  if (is_on_serial_line()) return;
  const auto end = process::deadline_after(kRestTime);
  std::array<std::byte, 65536> rest{};
  std::size_t got = 0;
  while (process::Clock::now() < end &&
         connection_->read(rest.data(), rest.size(), got, wait(kRefusalTime)) == Transfer::kDone) {
  }
}

}  // namespace edgeprobe::serve
