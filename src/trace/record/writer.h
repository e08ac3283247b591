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

/// Existing files of a recording in parts, and the number of removed ones.
struct WrittenFiles {
  std::vector<std::filesystem::path> paths;
  std::size_t removed = 0;
};

/// Writes a trace (docs/reference/trace-format.md). write() may be called from several threads; it
/// copies once into the ring and returns. A crash loses at most the open chunk. Files are created
/// with mode 0600; an existing file is refused unless `replace`, a symbolic link always.
///
/// With WriterOptions::rotation a recording has parts: "name.mcap" becomes name-000.mcap,
/// name-001.mcap, … Each part is a complete trace of its own, with all channels and metadata; the
/// metadata "edgeprobe.part" contain its recording (`series`) and its position in it (`part`). A
/// number already in use, also by another process at this moment, is skipped: nothing is ever
/// overwritten, and only this recording's own files are removed.
///
/// A full part is finished before the first message of a frame newer than all before it, before an
/// event that comes after the newest frame's record, or when events without frames fill a whole
/// part. The call that causes this waits until the old part is finished; a late tensor of an older
/// frame goes into the open part. After a failure every call fails with the same error; finished
/// parts stay.
class Writer {
 public:
  /// kUsage for parts that are to replace a file. `time` must outlive the writer.
  static Result<Writer> open(const std::filesystem::path& path, const WriterOptions& options = {},
                             bool replace = false, const TimeSource& time = system_time());
  /// Writes into `sink`, which cannot be rotated: kUsage. The bytes are reproducible for the same
  /// calls of one thread that fit into the ring, with channels and metadata first and a constant
  /// time.
  static Result<Writer> open(std::unique_ptr<RecordSink> sink, const WriterOptions& options = {},
                             const TimeSource& time = system_time());
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();  ///< Closes like close(), ignoring the error.

  /// Registers a channel; its messages have exactly the size of `channel.spec`. Like metadata(),
  /// the channel is in the file before any later message, and the call never waits for the disk.
  Result<ChannelId> add_channel(const Channel& channel);
  /// A named group of key/value texts about the whole file (an MCAP Metadata record).
  Status metadata(const std::string& name, const std::map<std::string, std::string>& values);
  /// One tensor of frame `frame`, taken at `time_ns` (nanoseconds since the Unix epoch).
  Status write(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns,
               const StridedBytes& values);
  /// The same for callers that log in microseconds: returns false, with the reason in `why`,
  /// instead of a Status.
  bool put(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns,
           const StridedBytes& values, Error& why);
  /// Announces frames of `bytes` bytes (plus 31 per message), which must fit into the ring next to
  /// queued ones.
  void expect_frame(std::uint64_t bytes);
  /// The record of a frame: its sample and its latency. Written as JSON on channel "frame".
  Status frame(const FrameRecord& record);
  /// One event of the stream `topic` ("/sensor/light"), which belongs to no frame: JSON of at most
  /// 65,536 bytes. A file holds at most 4,096 event streams besides "/level"; kLimit beyond.
  Status stream(const std::string& topic, std::uint64_t time_ns, const std::string& json);
  /// Returns once everything written before is in the file, safe from a crash of this process.
  /// Closes the open chunk, so call it at important moments, not for every frame.
  Status flush();
  /// True if the file cannot take more data: a full disk, an input/output error.
  bool has_failed() const;
  WriterStatistics statistics() const;  ///< Totals of all parts so far.
  /// File bytes that the caller's calls do not show: the channels of event streams, and for parts,
  /// the repeated beginnings of all but the first and of one more.
  std::uint64_t unseen_bytes() const;
  /// Only for a recording in parts; else empty.
  WrittenFiles files() const;
  /// Writes pending data, the summary and the footer.
  Result<WriterStatistics> close();

 private:
  explicit Writer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace edgeprobe::trace
