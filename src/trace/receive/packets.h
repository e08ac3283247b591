// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/bytes.h"

namespace edgeprobe::trace {

inline constexpr std::size_t kLongestPacketMessage = std::size_t{16} << 20;

struct PacketCounts {
  std::uint64_t bytes = 0;
  std::uint64_t packets = 0;   ///< Valid packets.
  std::uint64_t lost = 0;      ///< Skipped packet numbers.
  std::uint64_t damaged = 0;   ///< Pieces of the stream that are not valid packets.
  std::uint64_t restarts = 0;  ///< Restarts of the device.
  /// Messages left out because they exceed kLongestPacketMessage.
  std::uint64_t too_long = 0;
  std::optional<std::uint32_t> first;  ///< Number of the first packet received.
};

/// Joins the packets from a line into messages (docs/guides/microcontroller.md). Trusts no input:
/// only a message whose packets all arrived with correct checksums is passed on.
class PacketReader {
 public:
  /// Takes any number of bytes. Calls `on_message` for each complete message, which is valid during
  /// the call, and `on_restart` when packet numbers start again; both in the order of the line.
  void feed(ByteView bytes, const std::function<void(ByteView)>& on_message,
            const std::function<void()>& on_restart);
  const PacketCounts& counts() const { return counts_; }

 private:
  void end_piece(const std::function<void(ByteView)>& on_message,
                 const std::function<void()>& on_restart);
  void add_part(unsigned part, ByteView bytes, const std::function<void(ByteView)>& on_message);

  PacketCounts counts_;
  Bytes piece_;  ///< Bytes since the last zero byte.
  /// A zero byte has arrived: anything before the first one is the rest of a packet.
  bool is_aligned_ = false;
  bool is_piece_too_long_ = false;
  std::optional<std::uint32_t> last_;
  Bytes message_;
  bool in_message_ = false;
  bool is_too_long_ = false;
  std::size_t parts_ = 0;
};

}  // namespace edgeprobe::trace
