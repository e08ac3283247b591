// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/result.h"
#include "dataset/sample.h"
#include "kinds/input_kinds.h"
#include "trace/record/writer.h"

/// How raw inputs stand in a trace (docs/reference/trace-format.md, encodings of raw_input).
namespace edgeprobe::pipeline {

/// In what form a run keeps the raw inputs.
enum class RawForm {
  /// The recorded bytes: a picture file or a camera frame; pixels when nothing else is known.
  kEncoded,
  kPixels,  ///< As decoded.
  kNone,
};
const char* name(RawForm form);  ///< "encoded", "pixels", "none".
std::optional<RawForm> raw_form_from_name(std::string_view text);

/// The channel for this raw input in this form (not kNone), of a text that of its first part;
/// nothing for recorded tensors without a picture, which stand in the trace as the model's inputs.
std::optional<trace::Channel> raw_channel(const dataset::RawInput& input, RawForm form);
/// What a raw-input channel holds, by its encoding. Numbers of steps x axes that are said to be
/// nothing else are readings; what is none of sound, text and readings is a picture.
kinds::InputId held_kind(const trace::Channel& channel);
/// The recording in one of a channel's messages. kCorrupt names the key that is missing or wrong,
/// or the sample that is not finite.
Result<audio::Clip> clip_of(const trace::Channel& channel, ByteView bytes);
/// The readings in one of its messages.
Result<sensor::Series> readings_of(const trace::Channel& channel, const TensorView& message);
/// Whether a raw-input channel holds camera frames.
bool holds_frames(const trace::Channel& channel);
/// What its frames are. kCorrupt names the key that is missing or wrong.
Result<preprocess::YuvFrame> frame_of(const trace::Channel& channel);

/// Writes raw inputs, one channel for each size and kind.
class RawWriter {
 public:
  explicit RawWriter(RawForm form) : form_(form) {}
  Status write(trace::Writer& writer, const dataset::RawInput& input, std::uint32_t frame,
               std::uint64_t time_ns);
  /// Bytes of all raw inputs once this one is written.
  std::uint64_t bytes_with(const dataset::RawInput& input) const;

 private:
  RawForm form_;
  std::map<std::string, trace::ChannelId> channels_;
  std::uint64_t bytes_ = 0;
};

}  // namespace edgeprobe::pipeline
