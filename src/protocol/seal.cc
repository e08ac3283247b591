// SPDX-License-Identifier: Apache-2.0
#include "protocol/message.h"

#include <string>

#include "core/sha256.h"

namespace edgeprobe::protocol {
namespace {

std::string seal_of(ByteView payload) {
  Sha256 hash;
  hash.add(payload);
  return hash.hex().substr(0, kSealBytes);
}

}  // namespace

Bytes sealed(ByteView payload) {
  Bytes bytes = payload.copy();
  const std::string seal = seal_of(payload);
  const ByteView end = view_of(seal);
  bytes.insert(bytes.end(), end.begin(), end.end());
  return bytes;
}

bool take_seal(Message& message) {
  if (message.payload.size() < kSealBytes) return false;
  const std::size_t size = message.payload.size() - kSealBytes;
  const ByteView payload(message.payload);
  if (payload.sub(size, kSealBytes).text() != seal_of(payload.sub(0, size))) return false;
  message.payload.resize(size);
  message.header.payload = static_cast<std::uint32_t>(size);
  return true;
}

}  // namespace edgeprobe::protocol
