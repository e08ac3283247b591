// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "protocol/message.h"
#include "protocol/parts.h"

namespace edgeprobe::protocol {

/// A request of a host.
Outgoing request(Type type, ByteView payload = {});
/// PING: with kSuccess a client begins on a serial line, with kFail it ends.
Outgoing ping(std::uint16_t flags);

/// A reply, and the byte that it may need as its payload; the object must outlive what it gives.
class Reply {
 public:
  /// `data`: what OUTPUT, STATS and OPTIMIZE_MODEL are answered with; the others have none.
  static Reply success(Type request, Generation generation, ByteView data = {});
  static Reply failure(const Header& request, Generation generation);
  /// With the flags of an EXTENSION's reply.
  static Reply extension(ByteView payload, bool failed);

  Outgoing message() const {
    Outgoing out = message_;
    if (has_action_) out.payload = {&action_, 1};
    return out;
  }

 private:
  Outgoing message_;
  std::byte action_{0};
  bool has_action_ = false;
};

/// What a message says of a request.
struct Answer {
  bool ok = false;
  ByteView data;  ///< Borrowed from the message. Without the byte of the action.
  /// False: it says that it succeeded, with the action of another request.
  bool is_of_request = true;
};

/// Nothing for a message that is no answer to a request of this type: LOGS, an unknown type, an
/// answer to something else. In g1 and g2 any OK or ERROR is one.
std::optional<Answer> read_answer(const Message& message, Type request, Generation generation);

}  // namespace edgeprobe::protocol
