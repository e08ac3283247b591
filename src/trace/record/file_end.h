// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/result.h"
#include "trace/record/chunk_file.h"

namespace edgeprobe::trace {

/// The file of a writer. The thread that writes chunks and those with something too large for the
/// queue take turns at it; channels and metadata never wait for it. Thread-safe.
class FileEnd {
 public:
  /// Writes records that belong before the next chunk.
  using Record = std::function<Status(ChunkFile&)>;

  explicit FileEnd(ChunkFile file) : file_(std::move(file)) {}

  /// In the file before any chunk that is added after this. Fails once the file is finished.
  Status add_record(Record record);
  /// Writes those now, in the order in which they were given.
  void put_records();
  /// Records, then the chunk. A failure is kept.
  Status add_chunk(const std::vector<ByteView>& parts, const std::vector<ChunkEntry>& entries);
  /// Removes the file; for a failure before anything useful was in it.
  void discard() { file_.discard(); }
  /// What is left, `dropped` as metadata where there is something in it, and the end of the file.
  Status finish(const std::map<std::string, std::string>& dropped);

  /// The first failure; once there is one, nothing is written any more.
  bool has_failed() const { return failed_.load(std::memory_order_acquire); }
  Error failure() const;
  Status status() const;

 private:
  Status note(Status status);

  mutable std::mutex mutex_;
  ChunkFile file_;
  Error failure_;
  std::atomic<bool> failed_{false};

  // Taken after mutex_: a chunk of another thread must not pass the records that it needs.
  std::mutex records_mutex_;
  std::vector<Record> records_;
  bool is_finished_ = false;
};

}  // namespace edgeprobe::trace
