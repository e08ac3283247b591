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

/// Where in the pipeline a tensor was recorded.
enum class Stage {
  kRawInput,      ///< Input of the pre-processing: pixels HWC uint8 RGB, or the encoded file.
  kIntermediate,  ///< A named stage of the app's own pipeline.
  kModelInput,
  kLayer,
  kModelOutput,
  kKernelTime,  ///< Not a tensor of the model: how long each kernel took (kernel_times.h).
  kVariable,    ///< A variable of the app: numbers, or a text (encoding "utf8" or "json").
  /// Not a tensor of the model: start and duration of a named step, int64 nanoseconds.
  kSpan,
  kSketch,        ///< Sums and histogram of the tensor "<stage>/<name>", 72 float64.
  kSketchSample,  ///< Up to 4096 values of the tensor "<stage>/<name>", as stored.
  kAnswer,        ///< The app's answer (answer.h); encoding "answer".
};
/// Name of the stage in topics: "raw_input", "model_input", "sketch_sample", …
const char* name(Stage stage);
/// True for tensors of the model itself: its inputs, layers and outputs.
bool of_model(Stage stage);
std::optional<Stage> stage_from_name(std::string_view text);

/// One tensor of every frame. The topic is "/<stage>/<name>".
struct Channel {
  Stage stage = Stage::kLayer;
  TensorSpec spec;  ///< Name, dtype, shape, quantisation.
  /// Index of the model input or output, or of the layer; -1 if unknown.
  std::int32_t position = -1;
  std::int32_t tensor = -1;  ///< Tensor index in the model file; -1 if unknown.
  std::string layer_type;    ///< Such as "CONV_2D"; empty if unknown.
  /// "pixels" (default for dtype uint8 HWC raw inputs), "encoded" (bytes of a JPEG, PNG or BMP
  /// file), "utf8", "json", "answer" and others (docs/reference/trace-format.md).
  std::string encoding;
  std::map<std::string, std::string> extra;  ///< Other metadata, copied unchanged.

  /// True if messages vary in length: files, texts and answers, uint8 of shape -1.
  bool is_open() const {
    return encoding == "encoded" || encoding == "utf8" || encoding == "json" || is_answer();
  }
  bool is_answer() const { return stage == Stage::kAnswer; }
};

/// Ground truth of a frame that is more than one class: a kind known to a task, and its value.
struct FrameAnnotation {
  std::string kind;   ///< "class_set"; at most kLongestKind bytes.
  std::string value;  ///< JSON (json_scan.h), at most kLongestAnnotation bytes; copied unchanged.
};
inline constexpr std::size_t kLongestKind = 64, kLongestAnnotation = 12 * 1024;

/// Facts about one frame; everything but the number is optional.
struct FrameRecord {
  std::uint32_t frame = 0;
  std::uint64_t time_ns = 0;
  /// Name of the sample: path relative to the dataset, separated by '/'.
  std::string sample;
  std::string sha256;                      ///< Hash of the encoded sample file.
  std::optional<int> label;                ///< Index of the true class.
  std::optional<std::int64_t> latency_ns;  ///< Duration of the engine's invoke.
  /// Tensors lost before they reached the writer; the writer adds those that it drops.
  std::uint64_t dropped = 0;
  std::optional<FrameAnnotation> annotation = {};  ///< Ground truth beyond `label`.
  /// The states carried from frame to frame are reset in this frame. Starts known only after the
  /// recording are also in "edgeprobe.run" (`sequence_begins`).
  bool begins_sequence = false;
};

}  // namespace edgeprobe::trace
