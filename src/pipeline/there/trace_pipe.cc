// SPDX-License-Identifier: Apache-2.0
#include "pipeline/there/trace_pipe.h"

#include <memory>
#include <utility>

namespace edgeprobe::pipeline {
namespace {

/// Room for two chunks of a trace.
constexpr std::size_t kMost = std::size_t{4} << 20;

}  // namespace

class TracePipe::Sink final : public trace::RecordSink {
 public:
  explicit Sink(TracePipe& pipe) : pipe_(pipe) {}

  Status append(const std::vector<ByteView>& parts, const Shorten&) override {
    std::unique_lock lock(pipe_.mutex_);
    pipe_.changed_.wait(lock, [this] { return pipe_.bytes_.size() < kMost || pipe_.abandoned_; });
    if (pipe_.abandoned_)
      return Error{ErrorKind::kInterrupted, "no one waits for the trace any more"};
    for (const ByteView part : parts) {
      pipe_.bytes_.insert(pipe_.bytes_.end(), part.data, part.data + part.size);
      pipe_.size_ += part.size;
    }
    pipe_.changed_.notify_all();
    return {};
  }
  std::uint64_t size() const override {
    const std::lock_guard lock(pipe_.mutex_);
    return pipe_.size_;
  }
  Status sync() override { return {}; }  // The file is on the other machine.
  Status end(End) override { return {}; }

 private:
  TracePipe& pipe_;
};

std::unique_ptr<trace::RecordSink> TracePipe::sink() { return std::make_unique<Sink>(*this); }

Bytes TracePipe::take(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [this] { return !bytes_.empty() || finished_; });
  Bytes taken = std::exchange(bytes_, {});
  changed_.notify_all();
  return taken;
}

void TracePipe::finish() {
  const std::lock_guard lock(mutex_);
  finished_ = true;
  changed_.notify_all();
}

void TracePipe::abandon() {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

bool TracePipe::is_finished() {
  const std::lock_guard lock(mutex_);
  return finished_ && bytes_.empty();
}

}  // namespace edgeprobe::pipeline
