// SPDX-License-Identifier: Apache-2.0
#include "probe/frame.h"

#include <algorithm>

#include "core/text.h"
#include "probe/sampling.h"
#include "probe/values.h"

namespace edgeprobe::probe {
namespace {

Error wrong_size(const Logged& logged, std::size_t size, std::size_t expected) {
  return {ErrorKind::kUsage, "'" + sanitized(logged.name, 60) + "' has " + std::to_string(size) +
                                 " bytes; its shape and dtype need " + std::to_string(expected)};
}

// A sketch belongs to a tensor of one shape, which it names.
constexpr std::size_t kMostTraits = 33;
void describe_sketch(const std::int64_t* traits, trace::Channel& channel) {
  const Shape shape(traits + 2, traits + 2 + traits[1]);
  channel.extra["of_shape"] = to_list(shape);
  if (channel.stage == trace::Stage::kSketchSample)
    channel.extra["seed"] = std::to_string(static_cast<std::uint64_t>(traits[0]));
}

}  // namespace

void Frame::begin(std::uint32_t number) {
  Recorder& r = *recorder_;
  const std::uint64_t start = r.clock.ticks();
  if (!r.clock.is_recent(near_, start)) {
    near_ = r.clock.now();
    r.clock.measure(near_);
    r.watch_wall_clock(near_.ns);
  }
  record_.frame = number;
  record_.time_ns = r.clock.ns_at(near_, start);
  record_.sample.clear();
  record_.label.reset();
  record_.annotation.reset();
  record_.latency_ns.reset();
  record_.begins_sequence = false;
  started_ = 0;
  level_ = r.level();
  const Options& options = r.options;
  state_ = is_sampled(options, number) ? State::kRecorded : waiting();
  raw_ = options.raw == Raw::kNone ? State::kSkipped : state_;
  if (options.raw == Raw::kSample && state_ == State::kRecorded && !r.takes_raw_frame())
    raw_ = waiting();
  is_plain_ = state_ == State::kRecorded && !options.sketch && options.below_confidence == 0;
  is_tripped_ = false;
  confidence_ = std::numeric_limits<double>::infinity();
  last_ = nullptr;
  used_.clear();
  if (!held_.items.empty()) held_.clear();
  held_.frame = number;
  tensors_ = bytes_ = cost_ = ticks_ = 0;
  count_time(start, 0);
}

bool Frame::tensor(const Logged& logged, ByteView bytes) {
  const Options& options = recorder_->options;
  if (logged.stage == trace::Stage::kModelOutput) {
    if (options.own_outputs && logged.position >= static_cast<std::int64_t>(options.own_outputs)) {
      Logged layer = logged;
      layer.stage = trace::Stage::kLayer;
      layer.position -= static_cast<std::int32_t>(options.own_outputs);
      return tensor(layer, bytes);
    }
    if (options.below_confidence != 0 && level_ != Level::kOff) judge(logged, bytes);
  }
  if (!wants(logged.stage, logged.is_embedding)) return true;
  if (options.sketch && logged.stage == trace::Stage::kLayer) return put_sketch(logged, bytes);
  return put(logged, bytes, /*is_raw=*/false);
}

void Frame::judge(const Logged& logged, ByteView bytes) {
  const std::uint64_t start = recorder_->clock.ticks();
  const double limit = recorder_->options.below_confidence;
  const auto expected = element_count(Shape(logged.shape, logged.shape + logged.rank));
  if (bytes.size && expected && *expected * size_of(logged.dtype) == bytes.size) {
    const Extent extent = extent_of(logged, bytes);
    if (extent.is_score() || limit < 0 || limit > 1)
      confidence_ = std::min(confidence_, extent.most);
  }
  ticks_ += recorder_->clock.ticks() - start;
}

bool Frame::raw(const Logged& logged, const trace::StridedBytes& values) {
  return !wants_raw() || put(logged, values, /*is_raw=*/true);
}

bool Frame::put(const Logged& logged, const trace::StridedBytes& values, bool is_raw) {
  const std::uint64_t start = recorder_->clock.ticks();
  const bool done =
      add(logged, values, recorder_->clock.ns_at(near_, start), is_raw ? raw_ : state_, is_raw);
  count_time(start, values.size());
  return done;
}

bool Frame::put_sketch(const Logged& logged, ByteView bytes) {
  const std::uint64_t start = recorder_->clock.ticks(), now = recorder_->clock.ns_at(near_, start);
  const auto count = element_count(Shape(logged.shape, logged.shape + logged.rank));
  const std::size_t width = size_of(logged.dtype);
  if (!count || width == 0 || *count * width != bytes.size)
    return fail(wrong_size(logged, bytes.size, count.value_or(0) * width));
  const std::uint64_t seed = recorder_->options.seed;
  std::int64_t traits[kMostTraits + 1] = {static_cast<std::int64_t>(seed), logged.rank};
  std::copy_n(logged.shape, logged.rank, traits + 2);
  sketch_name_ = trace::name(logged.stage);
  sketch_name_ += '/';
  sketch_name_ += logged.name;

  Logged about;
  about.stage = trace::Stage::kSketch;
  about.is_embedding = logged.is_embedding;
  about.name = sketch_name_;
  about.layer_type = logged.layer_type;
  about.position = logged.position;
  about.dtype = DType::kFloat64;
  about.traits = traits;
  about.trait_count = 2 + logged.rank;
  about.describe = describe_sketch;
  std::int64_t length = static_cast<std::int64_t>(kSketchLength);
  about.rank = 1;
  about.shape = &length;
  const auto numbers = sketch(logged, bytes);
  bool done =
      add(about, ByteView(reinterpret_cast<const std::byte*>(numbers.data()), sizeof numbers), now,
          state_, false);

  about.stage = trace::Stage::kSketchSample;
  length = static_cast<std::int64_t>(std::min<std::size_t>(*count, kSketchSample));
  probe::sample(width, bytes, seed, scratch_);
  about.dtype = logged.dtype;
  // Per-axis scales do not apply to values without their axis.
  if (logged.scale_count == 1) {
    about.scale_count = 1;
    about.scale = logged.scale;
    about.zero_point = logged.zero_point;
  }
  if (done) done = add(about, scratch_, now, state_, false);
  count_time(start, kShort);
  return done;
}

bool Frame::add(const Logged& logged, const trace::StridedBytes& values, std::uint64_t time_ns,
                State state, bool is_raw) {
  Recorder& r = *recorder_;
  const ChannelEntry* const known = r.find(last_, logged, used_, why_);
  if (!known) return false;
  const std::size_t size = values.size();
  if (known->has_size && known->size != size) {
    used_.remove(known->index);
    return fail(wrong_size(logged, size, known->size));
  }
  last_ = known;
  if (!last_->id) return true;
  if (state == State::kHeld) {
    held_.add(*last_, time_ns, values, is_raw);
    return true;
  }
  if (is_raw && !r.takes_raw_bytes(size)) return true;
  return record(*last_, values, time_ns);
}

bool Frame::span(std::string_view name, std::uint64_t start_ns) {
  constexpr std::int64_t kTwo = 2;
  const std::uint64_t now = recorder_->clock.now_ns();
  const std::int64_t values[2] = {static_cast<std::int64_t>(start_ns),
                                  static_cast<std::int64_t>(now > start_ns ? now - start_ns : 0)};
  Logged logged;
  logged.stage = trace::Stage::kSpan;
  logged.name = name;
  logged.dtype = DType::kInt64;
  logged.rank = 1;
  logged.shape = &kTwo;
  return tensor(logged, ByteView(reinterpret_cast<const std::byte*>(values), sizeof values));
}

bool Frame::answer(std::string_view name, ByteView message) {
  constexpr std::int64_t kOpen = -1;
  Logged logged;
  logged.stage = trace::Stage::kAnswer;
  logged.name = name;
  logged.dtype = DType::kUInt8;
  logged.encoding = "answer";
  logged.rank = 1;
  logged.shape = &kOpen;
  return tensor(logged, message);
}

bool Frame::stop() {
  if (started_ == 0) return fail({ErrorKind::kUsage, "the frame was stopped without a start"});
  record_.latency_ns =
      static_cast<std::int64_t>(recorder_->clock.ns_of(started_, recorder_->clock.ticks()));
  started_ = 0;
  return true;
}

bool Frame::write(const PendingFrame& held, bool is_tripped) {
  Recorder& r = *recorder_;
  const bool keeps_raw = is_tripped || r.options.raw == Raw::kAll || r.takes_raw_frame();
  bool done = true;
  std::uint64_t count = 0, size = 0;
  for (const PendingFrame::Item& item : held.items) {
    if (item.is_raw && (!keeps_raw || !r.takes_raw_bytes(item.size))) continue;
    done &= r.put(*item.known, held.frame, item.time_ns, held.values(item), why_);
    ++count;
    size += item.size;
  }
  if (is_tripped) {
    tensors_ += count;
    bytes_ += size;
  } else {
    counts_.add({count != 0, count, size, 0});
  }
  return done;
}

// Writes the tensors that waited for a trigger.
bool Frame::release() {
  Recorder& r = *recorder_;
  bool done = true;
  std::deque<PendingFrame> before = r.held.take();
  const auto is_near = [&](const PendingFrame& held) {
    return held.frame + std::uint64_t{r.options.before} >= record_.frame;
  };
  std::uint64_t all = cost_;
  const auto count = [&](const PendingFrame& held) {
    all += held.bytes.size() + held.items.size() * kMessageHead;
  };
  for (const PendingFrame& held : before)
    if (is_near(held)) count(held);
  count(held_);
  r.expect_frame(all);
  for (const PendingFrame& held : before)
    if (is_near(held)) done &= write(held, false);
  done &= write(held_, true);
  r.held.give_back(std::move(before));
  cost_ = all;
  held_.clear();
  return done;
}

bool Frame::trip(std::string_view reason) {
  Recorder& r = *recorder_;
  const std::uint64_t start = r.clock.ticks();
  r.has_tripped.store(true, std::memory_order_relaxed);
  std::string text(reason);
  bool done = true;
  if (!is_tripped_) {
    is_tripped_ = true;
    if (state_ == State::kSkipped)
      text += " (what this frame logged before this moment was not kept)";
    else if (raw_ == State::kSkipped && r.options.raw != Raw::kNone)
      text += " (raw inputs before this moment were not kept)";
    done = release();
    state_ = State::kRecorded;  // is_plain_ stays as it is: the slow path resets it
    if (r.options.raw != Raw::kNone) raw_ = State::kRecorded;
  }
  done &= passed(r.note_trip(text));
  ticks_ += r.clock.ticks() - start;
  return done;
}

bool Frame::end() {
  Recorder& r = *recorder_;
  if (confidence_ < r.options.below_confidence && !is_tripped_ && level_ != Level::kOff)
    (void)trip("confidence " + edgeprobe::number(confidence_) + " is below " +
               edgeprobe::number(r.options.below_confidence));
  const bool is_timed = is_one_in();
  const std::uint64_t start = is_timed ? r.clock.ticks() : 0;
  if (state_ == State::kHeld) r.held.keep(held_);
  const bool done = r.level() == Level::kOff || r.write(record_, why_);
  if (is_timed) ticks_ += kOneIn * (r.clock.ticks() - start);
  const std::uint64_t time_ns = r.clock.ns_of(ticks_);
  counts_.add({tensors_ != 0, tensors_, bytes_, time_ns});
  if (r.is_limited())
    r.charge(cost_ + Recorder::cost_of(record_), time_ns, r.clock.ns_at(near_, r.clock.ticks()));
  return done;
}

}  // namespace edgeprobe::probe
