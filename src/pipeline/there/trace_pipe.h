// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "core/bytes.h"
#include "trace/record/record_sink.h"

namespace edgeprobe::pipeline {

/// Passes the bytes of a trace from the recording thread to the sending thread. Bounded: the writer
/// waits until its bytes are fetched.
class TracePipe {
 public:
  /// The writing end. The pipe must outlive it.
  std::unique_ptr<trace::RecordSink> sink();
  /// Returns the available bytes as soon as there are any, the pipe is finished, or `patience` has
  /// passed.
  Bytes take(std::chrono::milliseconds patience);
  /// Marks the end of the data.
  void finish();
  /// The reader is gone: later writes fail instead of waiting.
  void abandon();
  bool is_finished();  ///< True if finished and fully drained.

 private:
  class Sink;

  std::mutex mutex_;
  std::condition_variable changed_;
  Bytes bytes_;
  std::uint64_t size_ = 0;  ///< Bytes written in total.
  bool finished_ = false, abandoned_ = false;
};

}  // namespace edgeprobe::pipeline
