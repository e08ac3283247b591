// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/link.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <thread>
#include <utility>

#include "core/text.h"
#include "engine/remote/line.h"
#include "engine/remote/push.h"
#include "engine/remote/shell.h"
#include "engine/serial_line.h"
#include "protocol/line_start.h"
#include "protocol/message.h"
#include "protocol/parts.h"
#include "protocol/reply.h"
#include "transport/dial.h"
#include "transport/tls.h"

namespace edgeprobe::engine {
namespace {

using namespace std::chrono_literals;
using protocol::ExtensionKind;
using protocol::Generation;
using transport::Transfer;

constexpr auto kConnectLimit = 10s;
constexpr auto kBetweenTries = 250ms;
constexpr auto kCancelLimit = 2s;
constexpr const char *kCut = "the connection was cut", *kNoAnswer = "no answer came in time",
                     *kLost = "the line lost or changed bytes";
constexpr std::uint64_t kLongestAnswer = std::uint64_t{1} << 31;
constexpr std::size_t kUploadPart = std::size_t{1} << 20;

/// The address of a tcp, tls or unix target.
transport::Address address_of(const TargetUri& target) {
  if (target.transport == Transport::kUnix) return {{}, 0, target.path};
  return {target.host, target.port.value_or(0), {}};
}

Result<std::unique_ptr<transport::Connection>> connected(const TargetUri& target,
                                                         const process::Wait& wait) {
  if (target.transport == Transport::kSerial) return line_to_server(serial_line_of(target));
  const transport::TlsFiles files{value_of(target.parameters, "cert"),
                                  value_of(target.parameters, "key"),
                                  value_of(target.parameters, "ca")};
  if (target.transport == Transport::kTls)
    return transport::dial_tls(address_of(target), files, wait);
  return transport::dial(address_of(target), wait);
}

/// True if an answer arrived undamaged on a serial line; removes its seal. A failure of request 0,
/// which is never sent, means that the server received a damaged message.
bool is_whole(protocol::Message& message) {
  if (!message.checksum_right) return false;
  if (message.header.type == protocol::Type::kLogs) return true;
  if (message.header.type != protocol::Type::kExtension || !protocol::take_seal(message))
    return false;
  ByteReader in(message.bytes());
  return protocol::read_extension_header(in).request != 0;
}

}  // namespace

Result<Way> way_to(const TargetUri& target, const EngineChoice& choice) {
  if (!starts_server(target.transport))
    return Way([target](std::chrono::milliseconds patience) {
      return connected(target, {process::deadline_after(patience), process::program_stop});
    });
  EP_TRY(auto prepared, PushedServer::prepare(target, choice));
  const auto server = std::make_shared<PushedServer>(std::move(prepared));
  return Way([server](std::chrono::milliseconds) { return server->start(); });
}

Link::Link(Way way, std::string address, std::string format,
           std::optional<transport::SerialLine> line)
    : way_(std::move(way)),
      format_(std::move(format)),
      address_(std::move(address)),
      line_(std::move(line)) {}

Result<std::shared_ptr<Link>> Link::open(const TargetUri& target, const EngineChoice& choice,
                                         const std::string& format) {
  static std::mutex opening;
  static std::map<std::string, std::weak_ptr<Link>> links;
  const std::lock_guard lock(opening);
  std::string key = to_string(target);
  if (starts_server(target.transport)) key += " " + choice.kind + ":" + choice.library.string();
  auto& known = links[key];
  if (auto link = known.lock()) return link;
  EP_TRY(auto way, way_to(target, choice));
  std::optional<transport::SerialLine> line;
  if (target.transport == Transport::kSerial) line = serial_line_of(target);
  std::shared_ptr<Link> link(new Link(std::move(way), shown(target), format, std::move(line)));
  link->open_limit_ = choice.open_limit;
  const auto connected =
      link->connect(std::min<std::chrono::milliseconds>(kConnectLimit, choice.open_limit));
  if (process::is_program_stopped())
    return Error{ErrorKind::kInterrupted, "stopped while " + shown(target) + " was reached"};
  if (!connected) return Error(connected.error());
  known = link;
  return link;
}

Result<Host> Link::hello(const std::string& format) {
  wire::Writer fields;
  fields.number(protocol::kExtensionVersion);
  fields.text("edgeprobe");
  fields.text(format);
  const process::Wait wait{process::deadline_after(open_limit_), process::program_stop};
  const Sent sent = put(ExtensionKind::kHello, fields.bytes(), {}, wait);
  auto answer = std::holds_alternative<CallError>(sent)
                    ? std::variant<Answer, CallError>(std::get<CallError>(sent))
                    : take(std::get<std::uint32_t>(sent), wait);
  if (auto* const problem = std::get_if<CallError>(&answer)) {
    if (problem->cut) {
      const bool is_told = problem->error.what != kCut && problem->error.what != kNoAnswer;
      return Error{ErrorKind::kTarget, address_ + ": " + problem->error.what +
                                           (is_told ? "" : "; is it an 'edgeprobe serve'?")};
    }
    return std::move(problem->error).during(address_);
  }
  wire::Reader in(std::get<Answer>(answer).bytes());
  const std::uint32_t version = in.u32();
  in.text();  // The server's program.
  Host host;
  host.identity = wire::read_identity(in);
  host.longest_message = in.u64();
  host.uploads = in.u64();
  if (!in.ok() || version < 1)
    return Error{ErrorKind::kTarget, address_ + ": the server's HELLO makes no sense"};
  return host;
}

Result<Host> Link::host(const std::string& format) {
  const std::lock_guard lock(calling_);
  if (format == format_) return host_;
  if (!connection_) return Error{ErrorKind::kTarget, address_ + ": the connection was cut"};
  return hello(format);
}

Status Link::connect(std::chrono::milliseconds patience) {
  connection_.reset();
  EP_TRY(connection_, way_(patience));
  reader_.emplace(Generation::kG4, kLongestAnswer);
  fresh_ = true;
  waiting_.clear();
  auto host = hello(format_);
  if (host && epoch_ > 0 && host->identity.sha256 != host_.identity.sha256)
    host = Error{ErrorKind::kTarget,
                 address_ + ": the server has another engine than before it was cut off"};
  if (!host) {
    connection_.reset();
    return std::move(host).error();
  }
  host_ = *std::move(host);
  longest_message_ = host_.longest_message;
  ++epoch_;
  return {};
}

Status Link::reconnect(std::uint64_t epoch, std::chrono::milliseconds patience) {
  const std::lock_guard lock(calling_);
  const auto deadline = process::deadline_after(patience);
  Status last;
  while (epoch_ == epoch) {
    last = connect(2s);
    if (last) break;
    if (process::Clock::now() + kBetweenTries > deadline) return last;
    std::this_thread::sleep_for(kBetweenTries);
  }
  return {};
}

std::optional<CallError> Link::gone(std::uint64_t epoch) const {
  if (connection_ && epoch == epoch_) return std::nullopt;
  return CallError{{ErrorKind::kTarget, address_ + ": the connection was cut"}, true};
}

CallError Link::cut(std::string why) {
  connection_.reset();
  waiting_.clear();
  return {{ErrorKind::kTarget, std::move(why)}, true};
}

Link::Sent Link::send(std::uint64_t epoch, ExtensionKind kind, ByteView fields, ByteView bytes,
                      std::chrono::milliseconds limit) {
  const std::lock_guard lock(calling_);
  if (auto problem = gone(epoch)) return *std::move(problem);
  // Read answers that have already arrived, so that their time is not that of a later read.
  const process::Wait now{process::Clock::now()};
  for (bool came = true; came && !waiting_.empty();)
    if (auto problem = read_some(now, &came)) return *std::move(problem);
  return put(kind, fields, bytes, {process::deadline_after(limit)});
}

std::variant<Answer, CallError> Link::receive(std::uint64_t epoch, std::uint32_t request,
                                              std::chrono::milliseconds limit) {
  const std::lock_guard lock(calling_);
  if (auto problem = gone(epoch)) return *std::move(problem);
  return take(request, {process::deadline_after(limit)});
}

std::size_t Link::upload_part() const {
  std::uint64_t part = std::min<std::uint64_t>(kUploadPart, longest_message_ / 2 + 1);
  // Ten seconds' worth, since a byte takes ten bits.
  if (line_) part = std::min(part, static_cast<std::uint64_t>(line_->baud));
  return static_cast<std::size_t>(part);
}

void Link::cancel(std::uint64_t epoch, std::uint32_t request) {
  const std::lock_guard lock(calling_);
  if (gone(epoch)) return;
  wire::Writer fields;
  fields.number(request);
  waiting_.erase(request);
  const Sent sent =
      put(ExtensionKind::kCancel, fields.bytes(), {}, {process::deadline_after(kCancelLimit)});
  if (const auto* const number = std::get_if<std::uint32_t>(&sent)) waiting_.erase(*number);
}

std::variant<Bytes, CallError> Link::call(std::uint64_t epoch, ExtensionKind kind, ByteView fields,
                                          ByteView bytes, std::chrono::milliseconds limit) {
  const std::lock_guard lock(calling_);
  if (auto problem = gone(epoch)) return *std::move(problem);
  Sent sent = put(kind, fields, bytes, {process::deadline_after(limit)});
  if (auto* const problem = std::get_if<CallError>(&sent)) return std::move(*problem);
  auto answer = take(std::get<std::uint32_t>(sent), {process::deadline_after(limit)});
  if (auto* const problem = std::get_if<CallError>(&answer)) return std::move(*problem);
  return std::get<Answer>(answer).bytes().copy();
}

Link::Sent Link::put(ExtensionKind kind, ByteView fields, ByteView bytes,
                     const process::Wait& wait) {
  const protocol::ExtensionHeader header{++last_request_, kind, 0};
  ByteWriter front;
  protocol::write(front, header);
  front.append(fields);
  // The frame's length covers both parts; their bytes are not copied together.
  const std::uint64_t size = front.bytes().size() + bytes.size;
  if (size > host_.longest_message && host_.longest_message > 0)
    return CallError{{ErrorKind::kLimit, "a request of " + bytes_text(static_cast<double>(size)) +
                                             " is longer than the server takes"},
                     false};
  protocol::Header frame;
  frame.type = protocol::Type::kExtension;
  frame.number = protocol::number_of(frame.type, Generation::kG4).value();
  frame.flags = protocol::flag::kFirst | protocol::flag::kLast | protocol::flag::kHasPayload |
                protocol::flag::kFromHost;
  frame.payload = static_cast<std::uint32_t>(size);
  if (line_) {
    front.append(bytes);
    const Bytes payload = protocol::sealed(front.bytes());
    protocol::Outgoing message = protocol::request(frame.type, payload);
    message.flags = protocol::flag::kFromHost;
    protocol::Writing writing;
    writing.checksum = true;
    const auto whole = protocol::to_bytes(message, writing);
    if (!whole) return CallError{whole.error(), false};
    const ByteView part(*whole);
    const process::Wait slow{
        process::deadline_after(transport::time_on(*line_, part.size) + protocol::kLineSilence)};
    if (connection_->write({&part, 1}, slow) != Transfer::kDone)
      return cut("the line did not take " + std::string(protocol::name(kind)) + " in time");
    waiting_[header.request] = std::nullopt;
    return header.request;
  }
  const Bytes head = protocol::write_header(frame, Generation::kG4);
  const std::array parts{ByteView(head), ByteView(front.bytes()), bytes};
  // A refusing server may answer and close before everything is sent: read its message first.
  if (connection_->write(parts, wait) == Transfer::kLate)
    return cut("the server did not take " + std::string(protocol::name(kind)) + " in time");
  waiting_[header.request] = std::nullopt;
  return header.request;
}

std::variant<Answer, CallError> Link::take(std::uint32_t request, const process::Wait& wait) {
  for (auto found = waiting_.find(request); found != waiting_.end();) {
    if (found->second) return std::move(*waiting_.extract(found).mapped());
    if (auto problem = read_some(wait)) return *std::move(problem);
  }
  return cut("the request was given up");
}

void Link::reuse(Bytes message) {
  const std::lock_guard lock(calling_);  // A new connection has a new reader.
  if (reader_) reader_->reuse(std::move(message));
}

process::Wait Link::patience(const process::Wait& wait) const {
  if (!line_ || reader_->is_idle()) return wait;
  return {process::deadline_after(protocol::kLineSilence)};
}

std::optional<CallError> Link::read_some(const process::Wait& wait, bool* came) {
  const protocol::Space space = reader_->space();
  std::size_t got = 0;
  const Transfer taken = connection_->read(space.at, space.size, got, came ? wait : patience(wait));
  if (came) *came = taken != Transfer::kLate;
  if (came && !*came) return std::nullopt;
  if (taken == Transfer::kLate) return cut(reader_->is_idle() ? kNoAnswer : kLost);
  if (taken != Transfer::kDone) {
    const std::string problem = connection_->problem();
    return cut(problem.empty() ? kCut : problem);
  }
  if (fresh_ && transport::is_tls_alert({space.at, got}))
    return CallError{{ErrorKind::kTarget,
                      "the server wants TLS; the target is "
                      "tls://HOST:PORT?cert=FILE&key=FILE&ca=FILE"},
                     false};
  // A server greets with a zero byte if it had to wait long for our first bytes, or if it was
  // configured to speak g4. No answer begins with that byte.
  if (std::exchange(fresh_, false) && space.at[0] == std::byte{0}) {
    std::memmove(space.at, space.at + 1, --got);
    if (got == 0) return std::nullopt;
  }
  reader_->advance(got);
  while (true) {
    auto message = reader_->next();
    if (!message) return cut("the server's answer makes no sense: " + message.error().what);
    if (!*message) return std::nullopt;
    if (line_ && !is_whole(**message)) return cut(kLost);
    keep(**message);
  }
}

void Link::keep(protocol::Message& message) {
  if (message.header.type != protocol::Type::kExtension) return;
  ByteReader in(message.bytes());
  const protocol::ExtensionHeader answer = protocol::read_extension_header(in);
  const auto found = waiting_.find(answer.request);
  if (!in.ok() || found == waiting_.end()) return;
  if (answer.code != 0)
    found->second =
        CallError{{protocol::error_of(answer.code), sanitized(in.rest().text(), 2000)}, false};
  else found->second = Answer{std::move(message.payload), process::Clock::now()};
}

}  // namespace edgeprobe::engine
