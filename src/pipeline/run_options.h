// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
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
  kNone,       ///< Frame records only: which sample, how long.
  kIo,         ///< And the raw input, the model input and the model outputs.
  kEmbedding,  ///< And the input of the last layer that has weights: what a classifier sees.
  kLayers,     ///< And the output of every layer.
};
const char* name(Level level);
std::optional<Level> level_from_name(std::string_view text);

struct RunOptions {
  Level level = Level::kIo;
  bool undeclared = false;  ///< Write no recipe, model or engine name into the trace.
  /// In what form pictures are written (level io and up).
  RawForm raw_inputs = RawForm::kEncoded;
  /// One more pass with a profiled session: the time of each kernel in each frame.
  bool layer_times = false;
  bool replace = false;                                 ///< Overwrite an existing trace.
  std::size_t capture_budget = std::size_t{256} << 20;  ///< Bytes of intermediates held at once.
  std::uint64_t most_bytes = 2'000'000'000;             ///< Refuse to write a larger trace.
  std::string dataset;                                  ///< Its name, for the trace's metadata.
  std::vector<std::uint32_t> frame_numbers;  ///< Of the samples, in order; empty: 0, 1, 2, …
  /// Starts what is recorded beside the frames, e.g. sensors in a thread; what it returns is
  /// destroyed before the trace is closed.
  std::function<std::shared_ptr<void>(trace::Writer&)> beside;
};

struct RunSummary {
  std::size_t frames = 0;                       ///< Frames in the trace.
  std::vector<dataset::Unreadable> unreadable;  ///< Samples that were left out, and why.
  std::vector<std::int64_t> latency_ns;         ///< Of each frame.
  std::size_t layers = 0;                       ///< Tensors captured a frame.
  /// Frames whose outputs were not bit for bit the same with capture on.
  std::size_t moved_outputs = 0;
  /// The largest relative L2 of an output of those frames: 1e-7 is rounding, more is another
  /// result.
  double moved_by = 0;
  std::size_t kernels_timed = 0;  ///< Kernels whose times each frame has.
  /// Latencies without and with profiling, taken in turn: its cost.
  std::vector<std::int64_t> plain_ns, profiled_ns;
  bool interrupted = false;
  trace::WriterStatistics written;
  std::vector<std::string> warnings;
};

}  // namespace edgeprobe::pipeline
