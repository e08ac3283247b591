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
  std::uint64_t packets = 0;   ///< Right ones.
  std::uint64_t lost = 0;      ///< Numbers that were passed over.
  std::uint64_t damaged = 0;   ///< Pieces of the line that are no packet.
  std::uint64_t restarts = 0;  ///< Of the device.
  /// Messages that were left out because they pass kLongestPacketMessage.
  std::uint64_t too_long = 0;
  std::optional<std::uint32_t> first;  ///< Number of the first packet that came.
};

/// Joins what comes over a line into messages (docs/guides/microcontroller.md). Believes nothing:
/// whatever bytes come, only messages whose packets all came with right checksums are handed on.
class PacketReader {
 public:
  /// Takes any number of bytes. Calls `on_message` for each whole message, which is valid during
  /// the call, and `on_restart` when packet numbers begin again; both in the order of the line.
  void feed(ByteView bytes, const std::function<void(ByteView)>& on_message,
            const std::function<void()>& on_restart);
  const PacketCounts& counts() const { return counts_; }

 private:
  void end_piece(const std::function<void(ByteView)>& on_message,
                 const std::function<void()>& on_restart);
  void add_part(unsigned part, ByteView bytes, const std::function<void(ByteView)>& on_message);

  PacketCounts counts_;
  Bytes piece_;  ///< Since the last zero byte.
  /// A zero byte was seen: what came before it is the rest of a packet.
  bool is_aligned_ = false;
  bool is_piece_too_long_ = false;
  std::optional<std::uint32_t> last_;
  Bytes message_;
  bool in_message_ = false;
  bool is_too_long_ = false;
  std::size_t parts_ = 0;
};

}  // namespace edgeprobe::trace
