// SPDX-License-Identifier: Apache-2.0
#include "trace/record/file_end.h"

#include <utility>

namespace edgeprobe::trace {

Status FileEnd::add_record(Record record) {
  if (has_failed()) return failure();
  const std::lock_guard lock(records_mutex_);
  if (is_finished_) return Error{ErrorKind::kUsage, "the trace is closed already"};
  records_.push_back(std::move(record));
  return {};
}

void FileEnd::put_records() {
  const std::lock_guard lock(mutex_);
  std::vector<Record> taken;
  {
    const std::lock_guard records_lock(records_mutex_);
    taken.swap(records_);
  }
  for (const Record& record : taken)
    if (!has_failed()) (void)note(record(file_));
}

Status FileEnd::add_chunk(const std::vector<ByteView>& parts,
                          const std::vector<ChunkEntry>& entries) {
  put_records();
  const std::lock_guard lock(mutex_);
  if (has_failed()) return failure_;
  return note(file_.add_chunk(parts, entries));
}

Status FileEnd::finish(const std::map<std::string, std::string>& dropped) {
  {
    const std::lock_guard lock(records_mutex_);
    is_finished_ = true;
  }
  put_records();
  const std::lock_guard lock(mutex_);
  if (!dropped.empty() && !has_failed())
    (void)note(file_.add_metadata("edgeprobe.dropped", dropped));
  (void)note(file_.finish());
  if (has_failed()) return failure_;
  return {};
}

Error FileEnd::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

Status FileEnd::status() const {
  const std::lock_guard lock(mutex_);
  if (has_failed()) return failure_;
  return {};
}

Status FileEnd::note(Status status) {
  if (!status && !has_failed()) {
    failure_ = status.error();
    failed_.store(true, std::memory_order_release);
  }
  return status;
}

}  // namespace edgeprobe::trace
