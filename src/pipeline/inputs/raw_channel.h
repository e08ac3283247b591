// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/result.h"
#include "dataset/sample.h"
#include "kinds/input_kinds.h"
#include "trace/record/writer.h"

/// How raw inputs are stored in a trace (docs/reference/trace-format.md, encodings of raw_input).
namespace edgeprobe::pipeline {

/// The form in which a run keeps raw inputs.
enum class RawForm {
  /// The recorded bytes: a picture file or a camera frame; pixels when nothing else is known.
  kEncoded,
  kPixels,  ///< Decoded pixels.
  kNone,
};
const char* name(RawForm form);  ///< "encoded", "pixels", "none".
std::optional<RawForm> raw_form_from_name(std::string_view text);

/// Returns the channel for this raw input in this form (not kNone); for a text, the channel of its
/// first part. Empty for recorded tensors without a picture, which are in the trace as the model's
/// inputs.
std::optional<trace::Channel> raw_channel(const dataset::RawInput& input, RawForm form);
/// Returns the kind of raw input a channel holds, by its encoding. Numbers of steps x axes without
/// any other mark are readings; anything that is not sound, text or readings is a picture.
kinds::InputId held_kind(const trace::Channel& channel);
/// Returns the recording in one of a channel's messages. kCorrupt names the key that is missing or
/// wrong, or the sample that is not finite.
Result<audio::Clip> clip_of(const trace::Channel& channel, ByteView bytes);
/// Returns the readings in one of a channel's messages.
Result<sensor::Series> readings_of(const trace::Channel& channel, const TensorView& message);
/// True if a raw-input channel holds camera frames.
bool holds_frames(const trace::Channel& channel);
/// Returns the format of a channel's camera frames. kCorrupt names the key that is missing or
/// wrong.
Result<preprocess::YuvFrame> frame_of(const trace::Channel& channel);

/// Writes raw inputs, with one channel for each size and kind.
class RawWriter {
 public:
  explicit RawWriter(RawForm form) : form_(form) {}
  Status write(trace::Writer& writer, const dataset::RawInput& input, std::uint32_t frame,
               std::uint64_t time_ns);
  /// Total bytes of all raw inputs including this one.
  std::uint64_t bytes_with(const dataset::RawInput& input) const;

 private:
  RawForm form_;
  std::map<std::string, trace::ChannelId> channels_;
  std::uint64_t bytes_ = 0;
};

}  // namespace edgeprobe::pipeline
