// SPDX-License-Identifier: Apache-2.0
#include "serve/extension.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>
#include <vector>

#include "core/text.h"
#include "engine/inputs.h"
#include "protocol/reply.h"
#include "serve/device.h"

namespace edgeprobe::serve {
namespace {

using Clock = std::chrono::steady_clock;
using engine::wire::Reader;
using engine::wire::Writer;
using protocol::ExtensionKind;

constexpr std::size_t kHashBytes = 32;
constexpr std::size_t kMostSessions = 64;
constexpr std::uint32_t kMostSamples = 4096;
/// Shorter values are copied, which is cheaper than a piece of its own.
constexpr std::size_t kLeastKept = 4096;
/// Limit for one reply; a host accepts twice as much.
constexpr std::size_t kLongestReply = std::size_t{1} << 30;
/// Limit for one reply to REPEAT, which must neither delay others for long nor fill the memory; a
/// client requests the rest again.
constexpr auto kLongestRepeat = std::chrono::seconds(10);
constexpr std::size_t kMostIterations = 100'000;

std::int64_t nanoseconds(Clock::duration time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}
std::int64_t now() { return nanoseconds(Clock::now().time_since_epoch()); }

Error unreadable(ExtensionKind kind) {
  return {ErrorKind::kCorrupt,
          std::string("the payload of ") + protocol::name(kind) + " is shorter than its fields"};
}

/// Header of a success, replaced on failure.
void begin_answer(protocol::ExtensionHeader header, Writer& out) {
  header.code = 0;
  protocol::write(out, header);
}

Status check_reply(std::size_t size) {
  if (size <= kLongestReply) return {};
  return Error{ErrorKind::kLimit, "the answer is longer than 1 GiB; ask for fewer samples"};
}

/// Views of one sample's inputs, which are contiguous.
Result<std::vector<TensorView>> take_sample(const engine::Session& session, ByteView& rest) {
  std::vector<TensorView> views;
  for (const TensorSpec& spec : session.inputs()) {
    const auto size = spec.byte_size();
    if (!size || *size > rest.size)
      return Error{ErrorKind::kUsage, "the inputs end within '" + sanitized(spec.name) + "' (" +
                                          to_text(spec.shape) + " " + name(spec.dtype) + ")"};
    views.emplace_back(spec, rest.sub(0, *size));
    rest = rest.sub(*size, rest.size - *size);
  }
  return views;
}

}  // namespace

void ReplyWriter::keep(Bytes value) {
  if (value.size() < kLeastKept) return blob(value);
  number<std::uint64_t>(value.size());
  kept_bytes_ += value.size();
  kept_.push_back({bytes().size(), std::move(value)});
}

std::vector<ByteView> ReplyWriter::pieces() const {
  const ByteView own(bytes());
  std::vector<ByteView> pieces;
  std::size_t at = 0;
  for (const Kept& kept : kept_) {
    pieces.push_back(own.sub(at, kept.at - at));
    pieces.emplace_back(kept.bytes);
    at = kept.at;
  }
  pieces.push_back(own.sub(at, own.size - at));
  return pieces;
}

Result<bool> ExtensionRequests::handle_at_once(const protocol::Message& message) {
  Reader in(message.bytes());
  const protocol::ExtensionHeader header = protocol::read_extension_header(in);
  ReplyWriter out;
  if (!in.ok()) return false;
  begin_answer(header, out);
  if (header.kind == ExtensionKind::kClock) {
    const std::int64_t came = now();
    out.number(in.number<std::int64_t>());
    out.number(came);
    out.number(now());
  } else if (header.kind == ExtensionKind::kCancel) {
    const std::uint32_t request = in.u32();
    const std::lock_guard lock(cancelling_);
    // A running request continues; an answered one is ignored.
    if (const auto found = waiting_.find(request); in.ok() && found != waiting_.end())
      found->second = true;
  } else {
    const std::lock_guard lock(cancelling_);
    waiting_[header.request] = false;
    return false;
  }
  const Status done = in.ok() ? Status() : Status(unreadable(header.kind));
  EP_CHECK(answer(header, done, out));
  return true;
}

bool ExtensionRequests::take_cancelled(std::uint32_t request) {
  const std::lock_guard lock(cancelling_);
  const auto found = waiting_.find(request);
  if (found == waiting_.end()) return false;
  const bool cancelled = found->second;
  waiting_.erase(found);
  return cancelled;
}

Status ExtensionRequests::answer(protocol::ExtensionHeader header, const Status& done,
                                 ReplyWriter& out) {
  if (!done) {
    header.code = protocol::code_of(done.error().kind);
    out = {};
    protocol::write(out, header);
    out.append(view_of(done.error().what));
  }
  return peer_.send(protocol::Reply::extension({}, !done).message(), out.pieces());
}

Status ExtensionRequests::handle(const Work& work) {
  Reader in(work.message.bytes());
  const protocol::ExtensionHeader header = protocol::read_extension_header(in);
  if (!in.ok())
    return peer_.fail(work.message.header, "an EXTENSION has at least 8 bytes of payload");
  ReplyWriter out;
  begin_answer(header, out);
  Status done;
  try {
    done = take_cancelled(header.request)
               ? Status(Error{ErrorKind::kInterrupted, "cancelled by the client"})
               : serve(header, work, in, out);
  } catch (const std::bad_alloc&) {
    done = no_memory();
  }
  return answer(header, done, out);
}

Status ExtensionRequests::serve(const protocol::ExtensionHeader& header, const Work& work,
                                Reader& in, ReplyWriter& out) {
  switch (header.kind) {
    case ExtensionKind::kHello: return hello(in, out);
    case ExtensionKind::kOffer: {
      const ByteView hash = in.take(kHashBytes);
      const std::uint64_t size = in.u64();
      if (!in.ok()) return unreadable(header.kind);
      EP_TRY(const auto here, uploads_.offer(hash, size));
      out.number(here);
      return {};
    }
    case ExtensionKind::kUpload: {
      const ByteView hash = in.take(kHashBytes);
      const std::uint64_t offset = in.u64();
      if (!in.ok()) return unreadable(header.kind);
      EP_TRY(const auto here, uploads_.add(hash, offset, in.rest()));
      out.number(here);
      return {};
    }
    case ExtensionKind::kLoad: return load(in, out);
    case ExtensionKind::kInfer: return infer(work, in, out);
    case ExtensionKind::kRepeat: return repeat(in, out);
    case ExtensionKind::kMemory: {
      EP_TRY(const auto found, session(in));
      engine::wire::write(out, found->memory());
      return {};
    }
    case ExtensionKind::kClose: {
      const std::uint32_t number = in.u32();
      if (!in.ok()) return unreadable(header.kind);
      sessions_.erase(number);
      return {};
    }
    case ExtensionKind::kRun: return recordings_.run(in, out);
    case ExtensionKind::kTrace: return recordings_.trace(in, out);
    default:
      return Error{ErrorKind::kUnsupported, "this server knows no request of kind " +
                                                std::to_string(static_cast<unsigned>(header.kind)) +
                                                "; its extension is of version " +
                                                std::to_string(protocol::kExtensionVersion)};
  }
}

Status ExtensionRequests::hello(Reader& in, Writer& out) {
  const std::uint32_t version = in.u32();
  const std::string program = in.text();
  const std::string format = in.text();
  if (!in.ok()) return unreadable(ExtensionKind::kHello);
  if (version == 0)
    return Error{ErrorKind::kUnsupported, "version 0 of the extension does not exist"};
  EP_TRY(const auto engine, device_.engine_of_format(format));
  out.number(protocol::kExtensionVersion);
  out.text("edgeprobe");
  // Paths of libraries on this machine are private.
  engine::EngineIdentity identity = engine->identity();
  identity.library = identity.library.filename();
  engine::wire::write(out, identity);
  out.number(device_.options().limits.longest_message);
  out.number(device_.options().limits.uploads);
  return {};
}

Status ExtensionRequests::load(Reader& in, Writer& out) {
  const ByteView hash = in.take(kHashBytes);
  const std::string label = in.text();
  const ByteView json = in.blob();
  if (!in.ok()) return unreadable(ExtensionKind::kLoad);
  EP_TRY(const auto options, client_options(json.text(), device_.options().session));
  if (sessions_.size() >= kMostSessions)
    return Error{ErrorKind::kLimit, "a client has at most " + std::to_string(kMostSessions) +
                                        " models loaded; close some"};
  EP_TRY(const auto model, uploads_.model(hash));
  std::uint64_t together = model.size;
  for (const auto& [number, loaded] : sessions_) together += loaded.bytes;
  if (const std::uint64_t most = device_.options().limits.uploads; together > most)
    return Error{ErrorKind::kLimit, "with this model, those that are loaded have " +
                                        bytes_text(static_cast<double>(together)) +
                                        "; this server takes " +
                                        bytes_text(static_cast<double>(most)) + "; close some"};
  EP_TRY(const auto engine, device_.engine_for(model, label));
  EP_TRY(auto session, engine->load(model, label, options));
  out.number(++last_session_);
  engine::EngineIdentity identity = engine->identity();
  identity.library = identity.library.filename();
  engine::wire::write(out, identity);
  engine::wire::write(out, *session);
  sessions_[last_session_] = {std::move(session), model.size};
  return {};
}

Result<engine::Session*> ExtensionRequests::session(Reader& in) {
  const std::uint32_t number = in.u32();
  const auto found = sessions_.find(number);
  if (!in.ok() || found == sessions_.end())
    return Error{ErrorKind::kUsage, "no model is loaded as session " + std::to_string(number)};
  return found->second.session.get();
}

Status ExtensionRequests::infer(const Work& work, Reader& in, ReplyWriter& out) {
  EP_TRY(const auto found, session(in));
  const std::uint32_t samples = in.u32();
  if (!in.ok()) return unreadable(ExtensionKind::kInfer);
  if (samples == 0 || samples > kMostSamples)
    return Error{ErrorKind::kUsage, "INFER has 1 to " + std::to_string(kMostSamples) +
                                        " samples, not " + std::to_string(samples)};
  ByteView rest = in.rest();
  for (std::uint32_t i = 0; i < samples; ++i) {
    if (peer_.is_stopping()) return Error{ErrorKind::kInterrupted, "the server stops"};
    EP_TRY(const auto inputs, take_sample(*found, rest));
    const auto begun = Clock::now();
    EP_TRY(auto inference, found->infer(inputs));
    out.number(nanoseconds(begun - work.came));
    out.number(nanoseconds(Clock::now() - begun));
    engine::wire::write_times(out, inference);
    out.number<std::uint64_t>(inference.outputs.size());
    for (Tensor& output : inference.outputs) {
      engine::wire::write(out, output.spec);
      out.keep(std::move(output.bytes));
    }
    EP_CHECK(check_reply(out.size()));
  }
  if (!rest.empty())
    return Error{ErrorKind::kUsage, "INFER has " + std::to_string(rest.size) +
                                        " bytes after the inputs of its last sample"};
  return {};
}

Status ExtensionRequests::repeat(Reader& in, Writer& out) {
  EP_TRY(const auto found, session(in));
  engine::RepeatOptions options = engine::wire::read_repeat(in);
  if (!in.ok()) return unreadable(ExtensionKind::kRepeat);
  options.duration = std::min<std::chrono::nanoseconds>(options.duration, kLongestRepeat);
  options.count = std::min(options.count, kMostIterations);
  ByteView rest = in.rest();
  EP_TRY(const auto inputs, take_sample(*found, rest));
  EP_TRY(const auto iterations, found->repeat(inputs, options));
  engine::wire::write(out, iterations);
  return check_reply(out.bytes().size());
}

}  // namespace edgeprobe::serve
