// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace edgeprobe::trace {

using ChannelId = std::uint16_t;

/// Where in the pipeline a tensor was taken.
enum class Stage {
  kRawInput,      ///< What pre-processing got: pixels HWC uint8 RGB, or the encoded file.
  kIntermediate,  ///< A named stage of the app's own pipeline.
  kModelInput,
  kLayer,
  kModelOutput,
  kKernelTime,  ///< No tensor of the model: how long each kernel took (kernel_times.h).
  kVariable,    ///< A variable of the app: numbers, or a text (encoding "utf8" or "json").
  kSpan,        ///< No tensor of the model: start and duration of a named step, int64 nanoseconds.
  kSketch,      ///< Of the tensor "<stage>/<name>": its sums and histogram, 72 float64.
  kSketchSample,  ///< Of the tensor "<stage>/<name>": up to 4096 of its values as stored.
  kAnswer,        ///< What the app made of the outputs (answer.h); encoding "answer".
};
const char* name(Stage stage);  ///< As in topics: "raw_input", "model_input", "sketch_sample", …
/// Whether the model computes with it: its inputs, layers and outputs.
bool of_model(Stage stage);
std::optional<Stage> stage_from_name(std::string_view text);

/// One tensor of every frame. The topic is "/<stage>/<name>".
struct Channel {
  Stage stage = Stage::kLayer;
  TensorSpec spec;  ///< Name, dtype, shape, quantisation.
  /// Index among the model's inputs/outputs, or of the layer; -1 unknown.
  std::int32_t position = -1;
  std::int32_t tensor = -1;  ///< Tensor index in the model file; -1 unknown.
  std::string layer_type;    ///< "CONV_2D"; empty when unknown.
  /// "pixels" (default for dtype uint8 HWC raw inputs), "encoded" (bytes of a JPEG, PNG or BMP
  /// file), "utf8", "json", "answer" and others (docs/reference/trace-format.md).
  std::string encoding;
  std::map<std::string, std::string> extra;  ///< Further metadata, kept as it is.

  /// Whether messages have any length: files, texts and answers, uint8 of shape -1.
  bool is_open() const {
    return encoding == "encoded" || encoding == "utf8" || encoding == "json" || is_answer();
  }
  bool is_answer() const { return stage == Stage::kAnswer; }
};

/// What is true of a frame, where one class cannot say it: a kind that a task knows, and its value.
struct FrameAnnotation {
  std::string kind;   ///< "class_set"; at most kLongestKind bytes.
  std::string value;  ///< JSON (json_scan.h), at most kLongestAnnotation bytes; kept as it is.
};
inline constexpr std::size_t kLongestKind = 64, kLongestAnnotation = 12 * 1024;

/// About one frame; everything but the number is optional.
struct FrameRecord {
  std::uint32_t frame = 0;
  std::uint64_t time_ns = 0;
  /// Name of the sample: path relative to the dataset, '/' between parts.
  std::string sample;
  std::string sha256;                      ///< Of the encoded sample file.
  std::optional<int> label;                ///< Index of the true class.
  std::optional<std::int64_t> latency_ns;  ///< The engine's invoke.
  /// Tensors of it that were lost before they came to the writer, which adds those that it drops.
  std::uint64_t dropped = 0;
  std::optional<FrameAnnotation> annotation = {};  ///< Beyond `label`.
  /// The states that are carried from frame to frame are at their start in it. What a whole
  /// recording knows at its end stands in "edgeprobe.run" as well (`sequence_begins`).
  bool begins_sequence = false;
};

}  // namespace edgeprobe::trace
