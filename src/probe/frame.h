#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "probe/recorder.h"

namespace edgeprobe::probe {

/// One inference. For one thread at a time. It is used again for a later frame, so that it keeps its memory.
class Frame {
 public:
  explicit Frame(Recorder& recorder) : recorder_(&recorder) {}

  void begin(std::uint32_t number);
  std::uint32_t number() const { return record_.frame; }
  bool wants(trace::Stage stage, bool is_embedding) const;

  /// A tensor; what the level, the sampling or a pattern leaves out costs little and succeeds.
  Status tensor(const Logged& logged, const trace::Rows& values);
  /// What pre-processing gets, as far as the options keep it.
  bool wants_raw() const;
  Status raw(const Logged& logged, const trace::Rows& values);
  Status span(std::string_view name, std::uint64_t start_ns);

  void sample(std::string_view name) { record_.sample = name; }
  void label(int index) { record_.label = index; }
  void start() { started_ns_ = monotonic_ns(); }
  /// False when start() did not come before.
  bool stop();
  /// The frame is worth keeping.
  Status trip(std::string_view reason);
  Status end();

 private:
  Status put(const Logged& logged, const trace::Rows& values);

  Recorder* recorder_;
  trace::FrameRecord record_;
  std::optional<std::uint64_t> started_ns_;
  Level level_ = Level::kOff;
  bool is_recorded_ = false, has_raw_ = false;
  const Known* last_ = nullptr;
  Marks used_;
  std::uint64_t tensors_ = 0, bytes_ = 0;
};

}  // namespace edgeprobe::probe
