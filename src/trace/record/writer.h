// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/result.h"
#include "core/tensor.h"
#include "trace/channel.h"
#include "trace/record/record_sink.h"
#include "trace/record/strided_bytes.h"
#include "trace/record/writer_options.h"

namespace edgeprobe::trace {

class Parts;

/// Files of a recording in parts: those that are there, and how many were removed.
struct WrittenFiles {
  std::vector<std::filesystem::path> paths;
  std::size_t removed = 0;
};

/// Writes a trace (docs/reference/trace-format.md). write() may be called from several threads; it
/// copies once into the ring and returns. A crash loses at most the open chunk. Files are created
/// with mode 0600; an existing file is refused unless `replace`, a symbolic link always.
///
/// With WriterOptions::rotation a recording is in parts: "name.mcap" becomes name-000.mcap,
/// name-001.mcap, … Each part is a complete trace of its own, with all channels and metadata; the
/// metadata "edgeprobe.part" say which recording it belongs to (`series`) and its place in it
/// (`part`). A number that is taken, also by another process at this moment, is skipped: nothing
/// is ever overwritten, and of files only this recording's own are removed.
///
/// A full part ends before the first message of a frame newer than all before it, or before a
/// event that comes after the newest frame's record, or after so many bytes of events
/// that they fill a part of their own. The call that brings it waits for the old part to be
/// finished; a late tensor of an older frame goes into the part that is open. After a failure
/// every call fails with it; parts that are finished stay.
class Writer {
 public:
  /// kUsage for parts that are to replace something. `time` must outlive the writer.
  static Result<Writer> open(const std::filesystem::path& path, const WriterOptions& options = {},
                             bool replace = false, const TimeSource& time = system_time());
  /// The same into `sink`, which is never rotated: kUsage. For equal calls of one thread that are
  /// less than a ring, channels and metadata first, and a time that stands still, the bytes are
  /// equal.
  static Result<Writer> open(std::unique_ptr<RecordSink> sink, const WriterOptions& options = {},
                             const TimeSource& time = system_time());
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();  ///< Closes as close() does, dropping the error.

  /// Registers a channel; messages on it hold exactly the bytes of `channel.spec`. Like metadata()
  /// it is in the file before whatever is written next, and never waits for the disk.
  Result<ChannelId> add_channel(const Channel& channel);
  /// A named group of key/value texts about the whole file (an MCAP Metadata record).
  Status metadata(const std::string& name, const std::map<std::string, std::string>& values);
  /// One tensor of frame `frame`, taken at `time_ns` (nanoseconds since the Unix epoch).
  Status write(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns,
               const StridedBytes& values);
  /// The same for those who log in microseconds: false, with the reason in `why`, instead of a
  /// Status.
  bool put(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns,
           const StridedBytes& values, Error& why);
  /// A frame of so many bytes (31 more for each message) must fit into the ring beside what is
  /// queued.
  void expect_frame(std::uint64_t bytes);
  /// The record of a frame: what it shows and how long it took. Written as JSON on channel "frame".
  Status frame(const FrameRecord& record);
  /// One event of the stream `topic` ("/sensor/light"), which belongs to no frame: JSON of at most
  /// 65,536 bytes. Beside "/level" a file holds 4,096 event streams; kLimit beyond.
  Status stream(const std::string& topic, std::uint64_t time_ns, const std::string& json);
  /// Returns once everything that was written before is in the file: a crash of this process cannot
  /// take it any more. Closes the open chunk, so it is for times that matter, not for every
  /// frame.
  Status flush();
  /// Whether the file can take nothing any more: a full disk, an input/output error.
  bool has_failed() const;
  WriterStatistics statistics() const;  ///< So far, of all parts.
  /// Bytes of the files that the caller does not see in its calls: the channels of event streams,
  /// and of parts what those after the first repeat and what one more would begin with.
  std::uint64_t unseen_bytes() const;
  /// Of a recording in parts; else none.
  WrittenFiles files() const;
  /// Writes what is pending, the summary and the footer.
  Result<WriterStatistics> close();

 private:
  explicit Writer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace edgeprobe::trace
