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

/// The file of a writer. The thread that writes chunks and callers whose message is too large for
/// the queue take turns; channels and metadata never wait for it. Thread-safe.
class FileEnd {
 public:
  /// Writes records that must precede the next chunk.
  using Record = std::function<Status(ChunkFile&)>;

  explicit FileEnd(ChunkFile file) : file_(std::move(file)) {}

  /// Written before any chunk that is added later. Fails once the file is finished.
  Status add_record(Record record);
  /// Writes the pending records now, in the order added.
  void put_records();
  /// Writes the pending records, then the chunk. Remembers a failure.
  Status add_chunk(const std::vector<ByteView>& parts, const std::vector<ChunkEntry>& entries);
  /// Removes the file; for failures before it holds anything useful.
  void discard() { file_.discard(); }
  /// Writes the pending records, `dropped` as metadata unless empty, and the end of the file.
  Status finish(const std::map<std::string, std::string>& dropped);

  /// Nothing is written after the first failure.
  bool has_failed() const { return failed_.load(std::memory_order_acquire); }
  Error failure() const;
  Status status() const;

 private:
  Status note(Status status);

  mutable std::mutex mutex_;
  ChunkFile file_;
  Error failure_;
  std::atomic<bool> failed_{false};

  // Locked after mutex_: another thread's chunk must not overtake the records that it needs.
  std::mutex records_mutex_;
  std::vector<Record> records_;
  bool is_finished_ = false;
};

}  // namespace edgeprobe::trace
