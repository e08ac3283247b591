// SPDX-License-Identifier: Apache-2.0
#include "engine/channel.h"

namespace edgeprobe::engine {
namespace {

Broken broken_by(process::Transfer transfer) {
  switch (transfer) {
    case process::Transfer::kDone: return Broken::kNo;
    case process::Transfer::kLate: return Broken::kLate;
    case process::Transfer::kStopped: return Broken::kStopped;
    case process::Transfer::kClosed: break;
  }
  return Broken::kClosed;
}

}  // namespace

Broken Channel::send(wire::Step step, ByteView body, int descriptor, const process::Wait& wait) {
  const Bytes header = wire::header(step, body.size);
  return broken_by(stream_.send({header, body}, wait, descriptor));
}

Broken Channel::receive(Message& message, const process::Wait& wait, std::uint64_t longest) {
  message = {};
  std::byte head[wire::kHeaderBytes];
  if (const auto broken = broken_by(stream_.receive(head, sizeof head, wait, &message.descriptor));
      broken != Broken::kNo)
    return broken;
  const auto header = wire::read_header({head, sizeof head});
  if (!header) return Broken::kGarbled;
  if (header->length > longest) return Broken::kLong;
  message.step = header->step;
  return broken_by(stream_.receive(message.body, header->length, wait));
}

}  // namespace edgeprobe::engine
