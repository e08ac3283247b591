// SPDX-License-Identifier: Apache-2.0
#include "serve/client.h"

#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "protocol/message.h"
#include "protocol/reply.h"
#include "serve/extension.h"
#include "serve/peer.h"
#include "serve/plain.h"
#include "serve/work_queue.h"

namespace edgeprobe::serve {
namespace {

using protocol::Type;

/// Time limit for a refused client to send the request that the refusal answers.
constexpr std::chrono::milliseconds kRefusalWait{2000};

/// For a refused client; longer messages are not read.
constexpr std::uint64_t kRefusedMessage = std::uint64_t{1} << 16;

/// The failure of an EXTENSION has its own form.
Status fail(Peer& peer, const protocol::Message& message, const std::string& why) {
  if (message.header.type != Type::kExtension) return peer.fail(message.header, why);
  ByteReader in(message.bytes());
  protocol::ExtensionHeader header = protocol::read_extension_header(in);
  // In a damaged message the request number may be wrong, too: 0 is unassigned.
  if (!message.checksum_right) header.request = 0;
  header.code = protocol::code_of(ErrorKind::kTarget);
  ByteWriter payload;
  protocol::write(payload, header);
  payload.append(view_of(why));
  return peer.send(protocol::Reply::extension(payload.bytes(), true).message());
}

/// Kind of a message on a serial line.
enum class OnLine { kRequest, kAnswered, kEnd };

/// Answers a PING, which begins and ends a client's session, and a damaged message.
Result<OnLine> on_line(Peer& peer, protocol::Message& message, bool is_first) {
  const protocol::Header& header = message.header;
  if (header.type == Type::kExtension && !protocol::take_seal(message))
    message.checksum_right = false;
  if (!message.checksum_right) {
    EP_CHECK(fail(peer, message,
                  std::string("the checksum of ") + protocol::name(header.type) +
                      " is wrong: the line lost or changed bytes"));
    return OnLine::kAnswered;
  }
  if (header.type != Type::kPing) return OnLine::kRequest;
  const bool leaves = header.has(protocol::flag::kFail);
  // A PING within a session comes from a new client. It repeats its PING, and is then served as a
  // new client.
  if (!is_first && !leaves) return OnLine::kEnd;
  const auto reply = protocol::Reply::success(Type::kPing, peer.generation());
  EP_CHECK(peer.send(reply.message()));
  return leaves ? OnLine::kEnd : OnLine::kAnswered;
}

/// Reads requests until there are no more; returns the error that stopped it, or "".
std::string read_requests(Peer& peer, WorkQueue& queue, PlainRequests& plain,
                          ExtensionRequests& extension, Served& served) {
  while (true) {
    auto message = peer.read();
    // A client that waits for its answers is not idle.
    if (!message && peer.is_between_messages() && !queue.is_idle()) continue;
    if (!message) {
      // The stream cannot be parsed any further; the sender is informed before it is closed.
      (void)peer.fail(peer.last_header(), message.error().what);
      return message.error().what;
    }
    if (!*message) return "";
    ++served.requests;
    if (peer.is_on_serial_line()) {
      const auto line = on_line(peer, **message, served.requests == 1);
      served.damaged += (*message)->checksum_right ? 0 : 1;
      if (!line) return line.error().what;
      if (*line == OnLine::kEnd) return "";
      if (*line == OnLine::kAnswered) continue;
    } else if (!(*message)->checksum_right) {
      ++served.damaged;
      const Status told = peer.log("[WARNING] the checksum of " +
                                   std::string(protocol::name((*message)->header.type)) +
                                   " is wrong; it is taken as it came");
      if (!told) return told.error().what;
    }
    if ((*message)->header.type != Type::kExtension) {
      // Only one thread may use engines at a time.
      if (!queue.wait_until_idle()) return "";
      const protocol::Header header = (*message)->header;
      Status done;
      try {
        done = plain.handle(*std::move(*message));
      } catch (const std::bad_alloc&) {
        done = peer.fail(header, no_memory().what);
      }
      if (!done) return done.error().what;
      continue;
    }
    const auto done = extension.handle_at_once(**message);
    if (!done) return done.error().what;
    if (!*done && !queue.push(*std::move(*message))) return "";
  }
}

}  // namespace

Served serve_client(std::unique_ptr<transport::Connection> connection, Device& device,
                    Uploads& uploads, const std::atomic<bool>* stop, Carrier carrier) {
  Served served;
  Peer peer(std::move(connection), device.options(), stop, carrier);
  served.peer = peer.name();
  WorkQueue queue;
  PlainRequests plain(device, peer);
  ExtensionRequests extension(device, uploads, peer);
  peer.set_place([&](const protocol::Header& header) { return plain.place(header); });
  if (auto met = peer.meet(); !met) {
    served.problem = met.error().what;
    return served;
  }
  served.generation = protocol::name(peer.generation());
  std::string broken;
  std::thread worker([&] {
    const engine::OnBehalf client(peer.client());
    try {
      while (auto work = queue.pop()) {
        const Status done = extension.handle(*work);
        peer.reuse(std::move(work->message.payload));
        if (done) continue;
        broken = done.error().what;
        break;
      }
    } catch (const std::exception& failure) {
      broken = failure.what();
    }
    if (broken.empty()) return;
    queue.abandon();
    peer.shut();
  });
  try {
    const engine::OnBehalf client(peer.client());
    served.problem = read_requests(peer, queue, plain, extension, served);
  } catch (const std::bad_alloc&) {
    served.problem = std::string("a request: ") + no_memory().what;
    peer.give_up(no_memory().what);
  } catch (const std::exception& failure) {
    served.problem = failure.what();
  }
  // On a serial line the next client may be waiting, and would get the previous client's answers.
  if (peer.is_on_serial_line()) peer.leave_line();
  if (peer.is_on_serial_line() || (stop && stop->load())) queue.abandon();
  else queue.close();
  worker.join();
  if (served.problem.empty()) served.problem = broken;
  return served;
}

void refuse_client(std::unique_ptr<transport::Connection> connection, const Options& options,
                   const std::string& why, const std::atomic<bool>* stop) {
  Options soon = options;
  soon.limits.idle = soon.limits.message = kRefusalWait;
  soon.limits.longest_message = kRefusedMessage;
  Peer peer(std::move(connection), soon, stop);
  if (!peer.meet()) return;
  const auto message = peer.read();
  if (message) {
    if (*message) (void)fail(peer, **message, why);
    return;
  }
  // A longer request: a model.
  (void)peer.fail(peer.last_header(), why);
  peer.pass_over_rest();
}

}  // namespace edgeprobe::serve
