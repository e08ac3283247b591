// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "trace/channel.h"
#include "trace/rows.h"

namespace edgeprobe::trace {

/// What happens when frames come faster than the disk takes them.
enum class WhenFull {
  kBlock,  ///< The caller waits (tools).
  /// The rest of the frame is dropped, counted, and the count is in the file (apps). Before that a
  /// call waits for
  kDropFrame,
  ///< WriterOptions::longest_wait at most, and not again until the ring was half empty.
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
};

struct WriterStatistics {
  std::uint64_t frames = 0, messages = 0, bytes = 0, dropped_messages = 0, dropped_frames = 0;
  /// Of the dropped messages, those with values.
  std::uint64_t dropped_tensors = 0, dropped_bytes = 0;
};

/// Writes one trace file (docs/reference/trace-format.md). write() may be called from several
/// threads; it copies once into the ring and returns. A crash loses at most the open chunk. Files
/// are created with mode 0600; an existing file is refused unless `replace`, a symbolic link
/// always.
class Writer {
 public:
  static Result<Writer> open(const std::filesystem::path& path, const WriterOptions& options = {},
                             bool replace = false);
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();  ///< Closes as close() does, dropping the error.

  /// Registers a channel; messages on it hold exactly the bytes of `channel.spec`. Like metadata()
  /// it is in the file before whatever is written next, and never waits for the disk.
  Result<ChannelId> add_channel(const Channel& channel);
  /// A named group of key/value texts about the whole file (an MCAP Metadata record).
  Status metadata(const std::string& name, const std::map<std::string, std::string>& values);
  /// One tensor of frame `frame`, taken at `time_ns` (nanoseconds since the Unix epoch).
  Status write(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns, const Rows& values);
  /// The same for those who log in microseconds: false, with the reason in `why`, instead of a
  /// Status.
  bool put(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns, const Rows& values,
           Error& why);
  /// A frame of so many bytes (31 more for each message) must fit into the ring beside what is
  /// queued.
  void expect_frame(std::uint64_t bytes);
  /// The record of a frame: what it shows and how long it took. Written as JSON on channel "frame".
  Status frame(const FrameRecord& record);
  /// One moment of the series `topic` ("/sensor/light"), which belongs to no frame: JSON of at most
  /// 65,536 bytes. Beside
  /// "/level" a file holds 4,096 series; kLimit beyond.
  Status series(const std::string& topic, std::uint64_t time_ns, const std::string& json);
  /// Returns once everything that was written before is in the file: a crash of this process cannot
  /// take it any more. Closes the open chunk, so it is for moments that matter, not for every
  /// frame.
  Status flush();
  /// Whether the file can take nothing any more: a full disk, an input/output error.
  bool has_failed() const;
  WriterStatistics statistics() const;  ///< So far.
  std::uint64_t series_bytes() const;   ///< What the channels of series take in the file so far.
  /// Writes what is pending, the summary and the footer.
  Result<WriterStatistics> close();

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace edgeprobe::trace
