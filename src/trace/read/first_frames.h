// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <utility>

#include "core/result.h"
#include "trace/read/tail.h"

namespace edgeprobe::trace {

/// The first frames of a recording that another process may still be writing. A frame is complete
/// once its record, the last of its messages, has arrived. Memory holds at most one chunk.
class FirstFrames {
 public:
  /// Fails like Tail::open().
  static Result<FirstFrames> open(const std::filesystem::path& path, std::size_t wanted);

  /// Reads what was added since the last call. kCorrupt as in Tail::poll().
  Status poll();
  /// Frames available so far, at most the requested number.
  std::size_t count() const { return numbers_.size(); }
  /// True if all requested frames are available or the recording has finished.
  bool is_complete() const { return numbers_.size() >= wanted_ || tail_.is_finished(); }
  /// True if more frames follow or may follow: count() frames are not the whole recording.
  bool goes_on() const { return has_more_ || !tail_.is_finished(); }

  /// Writes these frames, and the facts and events before the last one's record, as a finished
  /// trace. Fails like Writer::open() if `target` exists.
  Status copy(const std::filesystem::path& target) const;

 private:
  FirstFrames(std::filesystem::path path, Tail tail, std::size_t wanted)
      : path_(std::move(path)), tail_(std::move(tail)), wanted_(wanted) {}

  std::filesystem::path path_;
  Tail tail_;
  std::size_t wanted_;
  std::set<std::uint32_t> numbers_;
  bool has_more_ = false;
};

}  // namespace edgeprobe::trace
