#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "probe/channels.h"
#include "probe/clock.h"
#include "probe/options.h"
#include "probe/sink.h"

namespace edgeprobe::probe {

/// What the frames of one probe share. Thread-safe.
class Recorder {
 public:
  Recorder(const Options& o, Sink s) : options(o), sink(std::move(s)), level_(static_cast<int>(o.level)) {}

  const Options options;
  const Clock clock;
  Sink sink;
  Channels channels;

  Level level() const { return static_cast<Level>(level_.load(std::memory_order_relaxed)); }

  /// Counters that frames add to as they end.
  std::atomic<std::uint64_t> frames{0}, recorded_frames{0}, tensors{0}, bytes{0}, time_ns{0};
  std::atomic<std::uint64_t> raw_bytes{0};

  Result<const Known*> find(const Known* last, const Logged& logged, Marks& used);
  /// A key of "edgeprobe.run"; a value that stands already is not written again.
  Status describe(const std::string& key, const std::string& value);

  // Series; `frame` in them is the newest frame.
  Status mark(std::string_view name, std::string_view text);
  Status sensor(std::string_view name, const double* values, std::size_t count, std::string_view unit);
  Status sensor_absent(std::string_view name, std::string_view unit, std::string_view reason);

 private:
  Status moment(const std::string& topic, std::string json);
  std::atomic<int> level_;
  std::mutex facts_mutex_;
  std::map<std::string, std::string> facts_;
};

}  // namespace edgeprobe::probe
