// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace edgeprobe::trace {

/// What happens when frames come faster than the disk takes them.
enum class WhenFull {
  kBlock,  ///< The caller waits (tools).
  /// The rest of the frame is dropped, counted, and the count is in the file (apps). Before that a
  /// call waits for WriterOptions::longest_wait at most, and not again until the ring was half
  /// empty.
  kDropFrame,
};

/// When a recording goes on in the next file; 0: never.
struct Rotation {
  std::uint64_t part_bytes = 0;  ///< Of messages in a part; the last frame may pass it.
  std::chrono::milliseconds part_time{0};
  /// Only so many are kept: as a new part begins, the oldest ones of this recording are removed.
  std::size_t newest_parts = 0;

  bool is_never() const { return part_bytes == 0 && part_time.count() == 0; }
};

struct WriterOptions {
  std::size_t ring_bytes = std::size_t{16} << 20;
  /// The ring grows up to ring_bytes and the largest frame that expect_frame() told, and never past
  /// this; 0: it keeps its size. A ring that grows takes every message or drops it: with kDropFrame
  /// no call waits for the disk then.
  std::size_t ring_most = 0;
  /// Messages that wait at a time; 0: one for each 512 bytes of the ring.
  std::size_t ring_slots = 0;
  std::size_t chunk_bytes = std::size_t{2} << 20;
  int flush_ms = 1000;  ///< An open chunk is closed after this long.
  WhenFull when_full = WhenFull::kBlock;
  std::chrono::microseconds longest_wait{0};
  /// What the caller lets the file grow to, if known: no disk is reserved beyond it. 0: unknown.
  std::uint64_t most_bytes = 0;
  Rotation rotation;
};

struct WriterStatistics {
  std::uint64_t frames = 0, messages = 0, bytes = 0, dropped_messages = 0, dropped_frames = 0;
  /// Of the dropped messages, those with values.
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
