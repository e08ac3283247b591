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

/// The first frames of a recording that another process may still be writing. A frame is there
/// once its record is, which is the last message of a frame. Memory stays within one chunk.
class FirstFrames {
 public:
  /// Fails as Tail::open().
  static Result<FirstFrames> open(const std::filesystem::path& path, std::size_t wanted);

  /// Takes what came since the last call. kCorrupt as Tail::poll().
  Status poll();
  /// Those that are there, at most as many as wanted.
  std::size_t count() const { return numbers_.size(); }
  /// All wanted ones are there, or the recording has ended.
  bool is_complete() const { return numbers_.size() >= wanted_ || tail_.is_finished(); }
  /// Other frames follow, or may follow: count() frames are not the whole recording.
  bool goes_on() const { return has_more_ || !tail_.is_finished(); }

  /// These frames, and the facts and events before the last one's record, as a finished trace.
  /// Fails as Writer::open() where something is at `target`.
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
