// SPDX-License-Identifier: Apache-2.0
// What comes over a microcontroller's line. The first byte chooses: even, the rest is the line as
// it is; odd, the rest is a list of "length, message" that is packed with right checksums first, so
// that messages are reached, too. No crash; every tensor fits its channel, frames rise, and no more
// is handed on than came.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "trace/channel_text.h"
#include "trace/mcap/crc32.h"
#include "trace/receive/receive.h"

using namespace edgeprobe;

namespace {

void append_packet(Bytes& line, std::uint32_t number, unsigned part, ByteView bytes) {
  Bytes packet(5);
  std::memcpy(packet.data(), &number, 4);
  packet[4] = static_cast<std::byte>(part);
  packet.insert(packet.end(), bytes.begin(), bytes.end());
  const std::uint32_t crc = trace::crc32(packet);
  const auto* end = reinterpret_cast<const std::byte*>(&crc);
  packet.insert(packet.end(), end, end + 4);
  line.push_back(std::byte{0});
  std::size_t code = line.size();
  line.push_back(std::byte{0});
  for (const std::byte byte : packet) {
    if (byte == std::byte{0}) {
      line[code] = static_cast<std::byte>(line.size() - code);
      code = line.size();
    }
    line.push_back(byte);
  }
  line[code] = static_cast<std::byte>(line.size() - code);
  line.push_back(std::byte{0});
}

// A "length" of 255 skips a packet's number; tensors get the checksum of their channel's last
// description.
Bytes packed(ByteView list) {
  Bytes line;
  std::uint32_t number = 0;
  std::uint32_t check = 0;
  while (!list.empty()) {
    const auto length =
        std::min<std::size_t>(static_cast<std::size_t>(list.data[0]), list.size - 1);
    Bytes message = list.sub(1, length).copy();
    list = list.sub(1 + length, list.size - 1 - length);
    if (length == 255) ++number;
    if (message.empty()) continue;
    if (message[0] == std::byte{3}) check = trace::crc32(message);
    if (message[0] == std::byte{5} && message.size() >= 11)
      std::memcpy(message.data() + 7, &check, 4);
    if (message.size() <= 228) {
      append_packet(line, number++, 3, message);
      continue;
    }
    const std::uint32_t crc = trace::crc32(message);
    append_packet(line, number++, 1, ByteView(message).sub(0, 200));
    const auto* end = reinterpret_cast<const std::byte*>(&crc);
    message.insert(message.end(), end, end + 4);
    append_packet(line, number++, 2, ByteView(message).sub(200, message.size() - 200));
  }
  return line;
}

void check(const trace::Receiver& receiver, const trace::Received& received, std::size_t came) {
  std::int64_t last = -1;
  std::size_t bytes = 0;
  for (const trace::ReceivedFrame& frame : received.frames) {
    if (std::int64_t{frame.record.frame} <= last) std::abort();
    last = frame.record.frame;
    for (const trace::ReceivedTensor& tensor : frame.tensors) {
      if (tensor.channel >= receiver.channels().size()) std::abort();
      const auto size = trace::message_size(receiver.channels()[tensor.channel]);
      if (size && *size != tensor.bytes.size()) std::abort();
      bytes += tensor.bytes.size();
    }
  }
  if (bytes > came || received.frames.size() != receiver.counts().frames) std::abort();
  for (const trace::Channel& channel : receiver.channels())
    if (trace::unwritable(channel)) std::abort();
  if (receiver.problems().size() > 21) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ByteView rest(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  const Bytes line = data[0] % 2 ? packed(rest) : rest.copy();
  trace::Receiver receiver, whole;
  trace::Received received, again;
  Status status, other;
  // The same bytes in pieces and at once give the same result.
  for (std::size_t at = 0; at < line.size() && status; at += 13)
    status = receiver.feed(ByteView(line).sub(at, std::min<std::size_t>(13, line.size() - at)),
                           1000, received);
  other = whole.feed(line, 1000, again);
  receiver.finish();
  whole.finish();
  if (status.has_value() != other.has_value()) std::abort();
  check(receiver, received, line.size());
  if (status && (again.frames.size() != received.frames.size() ||
                 again.events.size() != received.events.size()))
    std::abort();
  return 0;
}
