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

/// Bytes of a trace between the thread that records and the one that sends them. Bounded: who
/// records waits until they are fetched.
class TracePipe {
 public:
  /// The end that is written. The pipe must outlive it.
  std::unique_ptr<trace::RecordSink> sink();
  /// What is there, once something is, once nothing comes any more, or after `patience`.
  Bytes take(std::chrono::milliseconds patience);
  /// Nothing comes any more.
  void finish();
  /// Nobody fetches any more: a write fails instead of waiting.
  void abandon();
  bool is_finished();  ///< And everything was taken.

 private:
  class Sink;

  std::mutex mutex_;
  std::condition_variable changed_;
  Bytes bytes_;
  std::uint64_t size_ = 0;  ///< Of all that was written.
  bool finished_ = false, abandoned_ = false;
};

}  // namespace edgeprobe::pipeline
