// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "trace/channel.h"
#include "trace/frame_index.h"
#include "trace/mcap/mcap.h"
#include "trace/record/record_sink.h"
#include "trace/record/spill_buffer.h"

namespace edgeprobe::trace {

/// One message of a chunk.
struct ChunkEntry {
  ChannelId channel = 0;
  std::uint32_t frame = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t offset = 0;  ///< Offset of its record within the chunk.
};

/// Writes the structure of a trace file and keeps what the summary needs. Not thread-safe.
class ChunkFile {
 public:
  static Result<ChunkFile> create(const std::filesystem::path& path, bool replace);
  /// Writes to `sink`. `origin` is put before our own name in the header. Data needed only at the
  /// end goes into nameless files in `spill_folder` as it grows, or stays in memory without a
  /// folder.
  static Result<ChunkFile> create(std::unique_ptr<RecordSink> sink, std::string_view origin,
                                  const std::optional<std::filesystem::path>& spill_folder);
  /// Creates a file that gets its name only once it is finished; replaces an existing file only
  /// with `replace`.
  static Result<ChunkFile> create_hidden(const std::filesystem::path& path, std::string_view origin,
                                         bool replace = false);
  ChunkFile(ChunkFile&&) noexcept = default;

  struct Schema {
    std::string name, encoding, data;
  };
  Status add_schema(std::uint16_t id, const Schema& schema);
  Status add_channel(ChannelId id, std::uint16_t schema, std::string_view topic,
                     std::string_view encoding, const mcap::TextMap& metadata);
  Status add_metadata(const std::string& name, mcap::TextMap values);
  /// `parts` together are the Message records that `entries` list. If the disk cannot hold all of
  /// them, the leading ones that fit become a last, smaller chunk; the failure is still returned.
  Status add_chunk(const std::vector<ByteView>& parts, const std::vector<ChunkEntry>& entries);
  /// A chunk in compressed form.
  struct Packed {
    std::string_view codec;
    ByteView stored;
    std::uint64_t decoded_size = 0;
    std::uint32_t checksum = 0;  ///< Checksum of the decoded bytes.
  };
  Status add_packed_chunk(const Packed& chunk, const std::vector<ChunkEntry>& entries);
  /// `content` of an Attachment record, written unchanged.
  Status add_attachment(ByteView content);

  std::uint64_t size() const { return sink_->size(); }
  /// Writes the summary and footer, which complete the file; with `sync` also flushes it to the
  /// disk. Writes neither after a failure.
  Status finish(bool sync = false);
  void discard() { (void)sink_->end(RecordSink::End::kDiscarded); }

 private:
  explicit ChunkFile(std::unique_ptr<RecordSink> sink) : sink_(std::move(sink)) {}
  Status append(const mcap::Builder& records);
  Status put_chunk(const std::vector<ByteView>& parts, const Packed& about,
                   const std::vector<ChunkEntry>& entries, const RecordSink::Shorten& shorten);
  /// The records of a chunk, including its Message Indexes after the messages.
  struct ChunkRecords {
    mcap::Builder head, indexes, places;
    std::uint64_t first_time = 0, last_time = 0;
  };
  static Packed plain(const std::vector<ByteView>& parts);
  ChunkRecords chunk_records(const Packed& about, const std::vector<ChunkEntry>& entries);
  std::vector<ByteView> shortened(const std::vector<ByteView>& parts,
                                  std::vector<ChunkEntry> entries, std::uint64_t room);

  std::unique_ptr<RecordSink> sink_;
  ChunkRecords shortened_;  ///< Storage for the views that shortened() returns.
  mcap::Builder schemas_, channels_, metadata_indexes_, attachment_indexes_;  ///< For the summary.
  /// Also for the summary; they grow with the file.
  SpillBuffer chunk_indexes_;
  std::uint16_t schema_count_ = 0;
  std::uint32_t metadata_count_ = 0, chunk_count_ = 0, attachment_count_ = 0;
  FrameIndex frames_;
  std::uint64_t message_count_ = 0, first_time_ = 0, last_time_ = 0;
  std::vector<ChannelId> ids_;
  std::vector<std::uint64_t> messages_;  ///< Indexed by channel id.
  /// Indexed by channel id: true if its messages belong to no frame.
  std::vector<bool> event_streams_;
  /// Message index of the current chunk, by channel.
  std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> index_;
  std::vector<ChannelId> used_;
  bool failed_ = false;
};

}  // namespace edgeprobe::trace
