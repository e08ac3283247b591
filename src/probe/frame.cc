#include "probe/frame.h"

#include "core/text.h"

namespace edgeprobe::probe {

void Frame::begin(std::uint32_t number) {
  record_.frame = number;
  record_.time_ns = recorder_->clock.now_ns();
  record_.sample.clear();
  record_.label.reset();
  record_.latency_ns.reset();
  started_ns_.reset();
  level_ = recorder_->level();
  is_recorded_ = number % recorder_->options.every == 0;
  const Options& options = recorder_->options;
  has_raw_ = options.raw == Raw::kAll || (options.raw == Raw::kSample && number < options.raw_frames);
  last_ = nullptr;
  used_.clear();
  tensors_ = bytes_ = 0;
}

bool Frame::wants(trace::Stage stage, bool is_embedding) const {
  return is_recorded_ && level_ >= least_level(stage, is_embedding);
}

Status Frame::tensor(const Logged& logged, const trace::Rows& values) {
  return wants(logged.stage, logged.is_embedding) ? put(logged, values) : Status();
}

bool Frame::wants_raw() const { return has_raw_ && wants(trace::Stage::kRawInput, false); }

Status Frame::raw(const Logged& logged, const trace::Rows& values) {
  if (!wants_raw()) return {};
  Recorder& r = *recorder_;
  const std::uint64_t most = r.options.raw == Raw::kSample ? r.options.raw_bytes : 0;
  if (most && r.raw_bytes.fetch_add(values.size(), std::memory_order_relaxed) + values.size() > most) return {};
  return put(logged, values);
}

Status Frame::trip(std::string_view reason) { return recorder_->mark("trip", reason); }

Status Frame::put(const Logged& logged, const trace::Rows& values) {
  const std::uint64_t now = recorder_->clock.now_ns();
  const auto known = recorder_->find(last_, logged, used_);
  if (!known) return known.error();
  last_ = *known;
  if (last_->size && *last_->size != values.size())
    return Error{Fault::kUsage, "'" + printable(logged.name, 60) + "' has " + std::to_string(values.size()) + " bytes; its shape and dtype need " +
                                    std::to_string(*last_->size)};
  if (!last_->id) return {};
  auto done = recorder_->sink.write(last_->id, record_.frame, now, values);
  ++tensors_;
  bytes_ += values.size();
  return done;
}

Status Frame::span(std::string_view name, std::uint64_t start_ns) {
  constexpr std::int64_t kTwo = 2;
  const std::int64_t values[2] = {static_cast<std::int64_t>(start_ns), static_cast<std::int64_t>(recorder_->clock.now_ns() - start_ns)};
  Logged logged;
  logged.stage = trace::Stage::kSpan;
  logged.name = name;
  logged.dtype = DType::kInt64;
  logged.rank = 1;
  logged.shape = &kTwo;
  return tensor(logged, ByteView(reinterpret_cast<const std::byte*>(values), sizeof values));
}

bool Frame::stop() {
  if (!started_ns_) return false;
  record_.latency_ns = static_cast<std::int64_t>(monotonic_ns() - *started_ns_);
  started_ns_.reset();
  return true;
}

Status Frame::end() {
  Recorder& r = *recorder_;
  auto done = r.level() == Level::kOff ? Status() : r.sink.frame(record_);
  r.recorded_frames.fetch_add(tensors_ != 0, std::memory_order_relaxed);
  r.tensors.fetch_add(tensors_, std::memory_order_relaxed);
  r.bytes.fetch_add(bytes_, std::memory_order_relaxed);
  return done;
}

}  // namespace edgeprobe::probe
