// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace edgeprobe::trace {

/// What happens if frames come faster than the disk accepts them.
enum class WhenFull {
  kBlock,  ///< The caller waits (tools).
  /// The rest of the frame is dropped, and the count is stored in the file (apps). Before that, a
  /// call waits for at most WriterOptions::longest_wait, and not again until the ring was half
  /// empty.
  kDropFrame,
};

/// When a recording continues in the next file; 0: never.
struct Rotation {
  std::uint64_t part_bytes = 0;  ///< Bytes of messages per part; the last frame may exceed it.
  std::chrono::milliseconds part_time{0};
  /// Number of parts to keep: when a new part begins, the oldest ones of this recording are
  /// removed.
  std::size_t newest_parts = 0;

  bool is_never() const { return part_bytes == 0 && part_time.count() == 0; }
};

struct WriterOptions {
  std::size_t ring_bytes = std::size_t{16} << 20;
  /// The ring grows up to ring_bytes plus the largest frame announced by expect_frame(), and never
  /// beyond this; 0: constant size. A ring that can grow takes or drops every message: with
  /// kDropFrame no call then waits for the disk.
  std::size_t ring_most = 0;
  /// Most messages waiting at a time; 0: one per 512 bytes of the ring.
  std::size_t ring_slots = 0;
  std::size_t chunk_bytes = std::size_t{2} << 20;
  int flush_ms = 1000;  ///< An open chunk is closed after this long.
  WhenFull when_full = WhenFull::kBlock;
  std::chrono::microseconds longest_wait{0};
  /// The caller's limit for the size of the file: no disk space is reserved beyond it. 0: unknown.
  std::uint64_t most_bytes = 0;
  Rotation rotation;
};

struct WriterStatistics {
  std::uint64_t frames = 0, messages = 0, bytes = 0, dropped_messages = 0, dropped_frames = 0;
  /// Dropped messages that held tensors.
  std::uint64_t dropped_tensors = 0, dropped_bytes = 0;

  WriterStatistics& operator+=(const WriterStatistics& more) {
    frames += more.frames;
    messages += more.messages;
    bytes += more.bytes;
    dropped_messages += more.dropped_messages;
    dropped_frames += more.dropped_frames;
    dropped_tensors += more.dropped_tensors;
    dropped_bytes += more.dropped_bytes;
    return *this;
  }
};

}  // namespace edgeprobe::trace
