// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "trace/channel.h"
#include "trace/frame_index.h"
#include "trace/mcap/mcap.h"
#include "trace/mcap/problems.h"

namespace edgeprobe::trace {

/// The frames of a file and their records, collected during a walk.
class FrameList {
 public:
  FrameList(const std::string& label, Problems& problems) : label_(label), problems_(problems) {}

  void add(std::uint32_t frame);
  /// An unreadable record (reported as a problem) still counts as its frame's record.
  void add_record(ByteView json, const mcap::MessageHead& head);
  void add_all(const FrameIndex& index);

  /// Too many frames or too much text: reading cannot continue.
  const std::optional<Error>& failure() const { return failure_; }

  /// Sorts the frames and assigns each its record; false if a record belongs to a frame that was
  /// not added.
  bool finish();
  std::vector<std::uint32_t> frames;
  std::vector<FrameRecord> records;

 private:
  void too_many();
  const std::string& label_;
  Problems& problems_;
  std::optional<Error> failure_;
  std::size_t record_text_ = 0, compact_at_ = 65536;
};

}  // namespace edgeprobe::trace
