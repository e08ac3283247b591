// SPDX-License-Identifier: Apache-2.0
#include "trace/receive/packets.h"

#include "core/codec.h"
#include "trace/mcap/crc32.h"

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kLongestPiece = 254, kHead = 5, kCrc = 4;
constexpr unsigned kFirstPart = 1, kLastPart = 2;

// Decodes in place. Returns false if a code byte points past the end.
bool decode_cobs(Bytes& piece) {
  std::size_t from = 0, to = 0;
  while (from < piece.size()) {
    const auto code = static_cast<std::size_t>(piece[from++]);
    if (code == 0 || code - 1 > piece.size() - from) return false;
    for (std::size_t i = 1; i < code; ++i) piece[to++] = piece[from++];
    if (from < piece.size()) piece[to++] = std::byte{0};
  }
  piece.resize(to);
  return true;
}

}  // namespace

void PacketReader::feed(ByteView bytes, const std::function<void(ByteView)>& on_message,
                        const std::function<void()>& on_restart) {
  counts_.bytes += bytes.size;
  for (const std::byte byte : bytes) {
    if (byte == std::byte{0}) {
      end_piece(on_message, on_restart);
    } else if (piece_.size() < kLongestPiece) {
      piece_.push_back(byte);
    } else {
      is_piece_too_long_ = true;
    }
  }
}

void PacketReader::end_piece(const std::function<void(ByteView)>& on_message,
                             const std::function<void()>& on_restart) {
  const bool is_rest = !is_aligned_;
  is_aligned_ = true;
  if (piece_.empty()) return;
  const bool fits = !is_piece_too_long_ && decode_cobs(piece_) && piece_.size() > kHead + kCrc;
  is_piece_too_long_ = false;
  const ByteView packet(piece_);
  if (!fits || crc32(packet.sub(0, packet.size - kCrc)) !=
                   load_little<std::uint32_t>(packet.data + packet.size - kCrc)) {
    // The first piece may be the end of a packet that began before the reader was listening.
    if (!is_rest) ++counts_.damaged;
    piece_.clear();
    return;
  }
  const std::uint32_t number = load_little<std::uint32_t>(packet.data);
  ++counts_.packets;
  if (!counts_.first) counts_.first = number;
  if (last_ && number <= *last_) {
    ++counts_.restarts;
    in_message_ = false;
    on_restart();
  } else if (last_ && number != *last_ + 1) {
    counts_.lost += number - *last_ - 1;
    in_message_ = false;
  }
  last_ = number;
  add_part(static_cast<unsigned>(packet.data[4]), packet.sub(kHead, packet.size - kHead - kCrc),
           on_message);
  piece_.clear();
}

void PacketReader::add_part(unsigned part, ByteView bytes,
                            const std::function<void(ByteView)>& on_message) {
  if (part & kFirstPart) {
    message_.clear();
    parts_ = 0;
    in_message_ = true;
    is_too_long_ = false;
  }
  if (!in_message_) return;
  ++parts_;
  is_too_long_ |= message_.size() + bytes.size > kLongestPacketMessage;
  if (!is_too_long_) message_.insert(message_.end(), bytes.begin(), bytes.end());
  if (!(part & kLastPart)) return;
  in_message_ = false;
  if (is_too_long_) {
    ++counts_.too_long;
    return;
  }
  ByteView whole(message_);
  if (parts_ > 1) {
    if (whole.size <= kCrc || crc32(whole.sub(0, whole.size - kCrc)) !=
                                  load_little<std::uint32_t>(whole.data + whole.size - kCrc)) {
      ++counts_.damaged;
      return;
    }
    whole = whole.sub(0, whole.size - kCrc);
  }
  on_message(whole);
}

}  // namespace edgeprobe::trace
