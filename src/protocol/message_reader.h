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

/// Messages out of a stream of bytes that arrives in any pieces. It hands out memory to read into,
/// so that most of a long payload is written once, where it is wanted, and several short messages
/// come with one read:
///
///     while (true) {
///       auto message = reader.next();
///       if (!message || *message) return message;
///       const Space space = reader.space();
///       reader.advance(read(fd, space.at, space.size));
///     }
///
/// A length that is only claimed costs no memory: it grows with what arrives.
class MessageReader {
 public:
  /// Memory of header.payload bytes for the payload of this message, or null: the message owns it.
  /// Asked once for each message that comes in one part.
  using Place = std::function<std::byte*(const Header&)>;

  /// A message of more than `longest` bytes of payload, its parts together, is an error.
  MessageReader(Generation generation, std::uint64_t longest, Place place = {});

  /// The next message that has come whole. After an error the stream has no further messages:
  /// kLimit for a length beyond the limit, kCorrupt for parts that do not belong together and for a
  /// header that cannot be.
  Result<std::optional<Message>> next();
  /// After next() had none. Never empty. Valid until the next call.
  Space space();
  /// `size` bytes, at most space().size, were written there.
  void advance(std::size_t size);
  /// The same for bytes that lie elsewhere; the messages that they complete.
  Result<std::vector<Message>> push(ByteView bytes);

  /// Memory of an earlier payload, for a next one: what is written again costs less than new
  /// memory. A few short ones are kept. Of any thread.
  void reuse(Bytes payload);

  /// Between two messages.
  bool is_idle() const { return ahead_.empty() && !in_payload_ && open_.empty(); }
  /// The last header that was whole: that of the message that failed.
  const Header& last_header() const { return part_; }
  Generation generation() const { return generation_; }

 private:
  Status begin_part(ByteView header);
  /// Of the payload, out of the bytes that were read ahead.
  void take_ahead();
  void make_room();
  Result<std::optional<Message>> end_part();
  Message* open_message();

  Generation generation_;
  std::uint64_t longest_;
  Place place_;
  Bytes memory_;          ///< For bytes that are read ahead, of headers and of what follows them.
  ByteView ahead_;        ///< In it, not looked at yet.
  std::size_t read_ = 0;  ///< Bytes of the part's payload.
  bool in_payload_ = false;
  Header part_;
  std::byte* placed_ = nullptr;
  Bytes payload_;  ///< Of the part, grown so far; what is beyond `read_` is old.
  /// For parts to come.
  struct Spares {
    std::mutex mutex;
    std::vector<Bytes> bytes;
  };
  std::unique_ptr<Spares> spares_ = std::make_unique<Spares>();
  std::vector<Message> open_;  ///< Whose last part has not come, one a type.
};

}  // namespace edgeprobe::protocol
