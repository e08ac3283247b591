// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/result.h"
#include "protocol/message.h"

namespace edgeprobe::protocol {

/// Memory for the next bytes of a stream.
struct Space {
  std::byte* at = nullptr;
  std::size_t size = 0;
};

/// Extracts messages from a stream of bytes that arrives in arbitrary pieces. It provides the
/// memory to read into, so that most of a long payload is written only once, to its destination,
/// and several short messages arrive with one read:
///
///     while (true) {
///       auto message = reader.next();
///       if (!message || *message) return message;
///       const Space space = reader.space();
///       reader.advance(read(fd, space.at, space.size));
///     }
///
/// A length that is only claimed costs no memory: memory grows with the bytes that arrive.
class MessageReader {
 public:
  /// Returns memory of header.payload bytes for the payload of this message, or null: the message
  /// owns it. Called once for each message that arrives in one part.
  using Place = std::function<std::byte*(const Header&)>;

  /// A message with a total payload above `longest` bytes is an error.
  MessageReader(Generation generation, std::uint64_t longest, Place place = {});

  /// The next complete message. After an error the stream yields no more messages: kLimit for a
  /// length above the limit, kCorrupt for parts that do not belong together and for an impossible
  /// header.
  Result<std::optional<Message>> next();
  /// Call after next() returned none. Never empty. Valid until the next call.
  Space space();
  /// `size` bytes, at most space().size, were written there.
  void advance(std::size_t size);
  /// Same for bytes in other memory. Returns all messages that they complete.
  Result<std::vector<Message>> push(ByteView bytes);

  /// Returns memory of an earlier payload for reuse, which is cheaper than new memory. Keeps a few
  /// short ones. Callable from any thread.
  void reuse(Bytes payload);

  /// True between two messages.
  bool is_idle() const { return ahead_.empty() && !in_payload_ && open_.empty(); }
  /// The last complete header: after an error, that of the failed message.
  const Header& last_header() const { return part_; }
  Generation generation() const { return generation_; }

 private:
  Status begin_part(ByteView header);
  /// Takes payload bytes from those read ahead.
  void take_ahead();
  void go_on(Message& message);
  void make_room();
  Result<std::optional<Message>> end_part();
  Message* open_message();

  Generation generation_;
  std::uint64_t longest_;
  Place place_;
  Bytes memory_;            ///< Bytes read ahead: headers and the bytes after them.
  ByteView ahead_;          ///< Part of `memory_` that is not parsed yet.
  std::size_t read_ = 0;    ///< Bytes of the current part's payload.
  std::size_t before_ = 0;  ///< Bytes of the message's earlier parts, in `payload_`.
  bool in_payload_ = false;
  Header part_;
  std::byte* placed_ = nullptr;
  /// Payload of the current message, as far as allocated; bytes beyond `before_ + read_` are old.
  Bytes payload_;
  /// Memory for later parts.
  struct Spares {
    std::mutex mutex;
    std::vector<Bytes> bytes;
  };
  std::unique_ptr<Spares> spares_ = std::make_unique<Spares>();
  std::vector<Message> open_;  ///< Waiting for their last part, one for each type.
};

}  // namespace edgeprobe::protocol
