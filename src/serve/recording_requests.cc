// SPDX-License-Identifier: Apache-2.0
#include "serve/recording_requests.h"

#include <chrono>
#include <string>
#include <utility>

#include "protocol/extension.h"
#include "serve/device.h"

namespace edgeprobe::serve {
namespace {

using engine::wire::Reader;
using engine::wire::Writer;

constexpr std::size_t kHashBytes = 32;
/// A reply to TRACE must not delay other requests any longer.
constexpr std::chrono::milliseconds kPatience{250};

Error unreadable(const char* kind) {
  return {ErrorKind::kCorrupt,
          std::string("the payload of ") + kind + " is shorter than its fields"};
}

}  // namespace

Status RecordingRequests::run(Reader& in, Writer& out) {
  if (!device_.options().recorder)
    return Error{ErrorKind::kUnsupported, "this server does no whole runs"};
  recording_.reset();
  const ByteView model_hash = in.take(kHashBytes);
  const ByteView pictures_hash = in.take(kHashBytes);
  Recorded recorded;
  recorded.name = in.text();
  const ByteView session = in.blob();
  const ByteView plan_json = in.blob();
  if (!in.ok()) return unreadable("RUN");
  EP_TRY(recorded.session, client_options(session.text(), device_.options().session));
  recorded.plan = std::string(plan_json.text());
  EP_TRY(const auto model, uploads_.model(model_hash));
  EP_TRY(recorded.engine, device_.choice_for(model, recorded.name));
  recorded.model = model.copy();
  EP_TRY(recording_, device_.options().recorder(std::move(recorded),
                                                [&] { return uploads_.take(pictures_hash); }));
  out.number(std::uint8_t{0});
  return {};
}

Status RecordingRequests::trace(Reader& in, Writer& out) {
  const bool stop = in.number<std::uint8_t>() != 0;
  if (!in.ok()) return unreadable("TRACE");
  if (!recording_) return Error{ErrorKind::kUsage, "TRACE without a RUN before it"};
  if (stop) recording_->stop();
  Recording::Part part = recording_->next(kPatience);
  out.number(static_cast<std::uint8_t>(part.end ? 1 : 0));
  out.number(part.done);
  out.number(part.all);
  out.text(part.pass);
  out.blob(part.trace);
  if (!part.end) return {};
  const Result<std::string> end = *std::move(part.end);
  out.number(end ? std::uint16_t{0} : protocol::code_of(end.error().kind));
  out.text(end ? *end : end.error().what);
  recording_.reset();
  return {};
}

}  // namespace edgeprobe::serve
