// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/sample.h"
#include "pipeline/inputs/raw_channel.h"
#include "trace/record/writer.h"

namespace edgeprobe::pipeline {

/// How much of a run goes into the trace.
enum class Level {
  kNone,       ///< Only frame records: sample and duration.
  kIo,         ///< Adds the raw input, the model input and the model outputs.
  kEmbedding,  ///< Adds the input of the last layer that has weights: the features of a classifier.
  kLayers,     ///< Adds the output of every layer.
};
const char* name(Level level);
std::optional<Level> level_from_name(std::string_view text);

struct RunOptions {
  Level level = Level::kIo;
  bool undeclared = false;  ///< Write no recipe, model or engine name into the trace.
  /// Form in which pictures are written (level io and up).
  RawForm raw_inputs = RawForm::kEncoded;
  /// Run one more pass with a profiled session: the time of each kernel in each frame.
  bool layer_times = false;
  bool replace = false;  ///< Overwrite an existing trace.
  /// Limit on bytes of intermediates held at once.
  std::size_t capture_budget = std::size_t{256} << 20;
  std::uint64_t most_bytes = 2'000'000'000;  ///< Refuse to write a larger trace.
  /// Name of the data set, for the trace's metadata.
  std::string dataset;
  /// How the model was made, in the same place (docs/reference/trace-format.md); empty: unknown.
  std::map<std::string, std::string> made_by;
  /// Frame numbers of the samples, in order; empty: 0, 1, 2, …
  std::vector<std::uint32_t> frame_numbers;
  /// Numbers of the frames whose layers are captured, ascending; unset: all. Without effect if the
  /// model keeps a state, whose every frame has to run again.
  std::optional<std::vector<std::uint32_t>> layer_frames = {};
  /// Starts additional recordings, e.g. sensors in a thread; the returned object is destroyed
  /// before the trace is closed.
  std::function<std::shared_ptr<void>(trace::Writer&)> beside;
};

struct RunSummary {
  std::size_t frames = 0;                       ///< Frames in the trace.
  std::vector<dataset::Unreadable> unreadable;  ///< Samples that were skipped, with the reason.
  std::vector<std::int64_t> latency_ns;         ///< Latency of each frame.
  std::size_t layers = 0;                       ///< Tensors captured for each frame.
  /// Frames whose outputs were not bit-identical with capture on.
  std::size_t moved_outputs = 0;
  /// The largest relative L2 distance of an output of those frames: 1e-7 is rounding, more is a
  /// different result.
  double moved_by = 0;
  std::size_t kernels_timed = 0;  ///< Kernels with a time in each frame.
  /// Latencies without and with profiling, measured in turn: the cost of profiling.
  std::vector<std::int64_t> plain_ns, profiled_ns;
  bool interrupted = false;
  trace::WriterStatistics written;
  std::vector<std::string> warnings;
};

}  // namespace edgeprobe::pipeline
