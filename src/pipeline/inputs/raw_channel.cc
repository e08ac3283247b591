// SPDX-License-Identifier: Apache-2.0
#include "pipeline/inputs/raw_channel.h"

#include <array>
#include <charconv>
#include <cstring>

#include "audio/decode.h"
#include "audio/samples.h"
#include "core/text.h"

namespace edgeprobe::pipeline {
namespace {

using preprocess::YuvFrame;

using kinds::InputId;

constexpr const char* kSampleRate = "sample_rate";
constexpr std::array<const char*, 3> kForms{"encoded", "pixels", "none"};

std::map<std::string, std::string> metadata_of(const YuvFrame& frame) {
  return {{"width", std::to_string(frame.width)},
          {"height", std::to_string(frame.height)},
          {"stride", std::to_string(frame.luma_stride())},
          {"uv_stride", std::to_string(frame.chroma_stride())},
          {"matrix", name(frame.matrix)},
          {"range", name(frame.range)},
          {"rotation", std::to_string(frame.rotation)},
          {"mirrored", frame.mirrored ? "true" : "false"}};
}

/// Reads the keys of one channel; the first wrong key becomes the error.
class Keys {
 public:
  explicit Keys(const trace::Channel& channel) : channel_(channel) {}

  /// Null if the key is absent.
  const std::string* find(const char* key) const {
    const auto at = channel_.extra.find(key);
    return at == channel_.extra.end() ? nullptr : &at->second;
  }
  Status whole(const char* key, bool required, int& target) const {
    const std::string* text = find(key);
    if (!text && !required) return {};
    int value = 0;
    const char* end = text ? text->data() + text->size() : nullptr;
    if (text)
      if (const auto read = std::from_chars(text->data(), end, value);
          read.ec == std::errc{} && read.ptr == end && value >= 0) {
        target = value;
        return {};
      }
    return wrong(key, "a whole number");
  }
  template <class T>
  Status word(const char* key, std::optional<T> (*read)(std::string_view), const char* expected,
              T& target) const {
    const std::string* text = find(key);
    if (!text) return {};
    const auto value = read(*text);
    if (!value) return wrong(key, expected);
    target = *value;
    return {};
  }
  Error wrong(const char* key, const char* expected) const {
    const std::string* text = find(key);
    return {ErrorKind::kCorrupt, "raw input '" + sanitized(channel_.spec.name) + "' (" +
                                     sanitized(channel_.encoding, 20) + "): " + key +
                                     (text ? " is '" + sanitized(*text, 40) + "'" : " is missing") +
                                     ", expected " + expected};
  }

 private:
  const trace::Channel& channel_;
};

std::optional<int> turn_from(std::string_view text) {
  if (text == "0") return 0;
  return text == "90"    ? std::optional(90)
         : text == "180" ? std::optional(180)
         : text == "270" ? std::optional(270)
                         : std::nullopt;
}

/// True if only pixels are known, or pixels were requested.
bool as_pixels(const dataset::Picture& picture, RawForm form) {
  return form == RawForm::kPixels || picture.encoded.empty();
}

trace::Channel channel_for(const dataset::Picture& picture, RawForm form) {
  trace::Channel channel;
  channel.stage = trace::Stage::kRawInput;
  if (as_pixels(picture, form)) {
    const preprocess::Image& image = picture.image;
    channel.spec = {"image", DType::kUInt8, {image.height, image.width, image.channels}, {}};
    channel.encoding = "pixels";
  } else if (picture.frame) {
    channel.spec = {
        "image", DType::kUInt8, {static_cast<std::int64_t>(picture.encoded.size())}, {}};
    channel.encoding = name(picture.frame->layout);
    channel.extra = metadata_of(*picture.frame);
  } else {
    channel.spec = {"image", DType::kUInt8, {-1}, {}};
    channel.encoding = "encoded";
  }
  return channel;
}

/// Recorded bytes in this form. Borrows from `picture`.
ByteView bytes_for(const dataset::Picture& picture, RawForm form) {
  const auto& pixels = picture.image.pixels;
  return as_pixels(picture, form)
             ? ByteView(reinterpret_cast<const std::byte*>(pixels.data()), pixels.size())
             : ByteView(picture.encoded);
}

/// A raw input in its written form. Bytes are borrowed from the input or `owned`.
struct Piece {
  trace::Channel channel;
  ByteView bytes;
  Bytes owned;
};

Piece piece_of(const dataset::Picture& picture, RawForm form) {
  return {channel_for(picture, form), bytes_for(picture, form), {}};
}

/// Writes integer samples unchanged, others as fractions of full scale.
std::vector<Piece> kept(const dataset::Sound& sound, RawForm) {
  const audio::Clip& clip = sound.clip;
  Piece piece;
  piece.channel.stage = trace::Stage::kRawInput;
  piece.channel.spec = {"audio",
                        clip.whole ? DType::kInt16 : DType::kFloat32,
                        {static_cast<std::int64_t>(clip.frames()), clip.channels},
                        {}};
  piece.channel.encoding = kinds::kind_of(InputId::kSound).encoding;
  piece.channel.extra = {{kSampleRate, number(clip.rate, 12)}};
  const std::size_t width = size_of(piece.channel.spec.dtype);
  piece.owned.resize(clip.samples.size() * width);
  for (std::size_t i = 0; i < clip.samples.size(); ++i) {
    const float real = clip.samples[i] / 32768.0f;
    const auto whole = static_cast<std::int16_t>(clip.whole ? clip.samples[i] : 0.0f);
    const void* const from = clip.whole ? static_cast<const void*>(&whole) : &real;
    std::memcpy(piece.owned.data() + i * width, from, width);
  }
  piece.bytes = piece.owned;
  std::vector<Piece> pieces;
  pieces.push_back(std::move(piece));
  return pieces;
}
/// Writes each part of a text under its own name.
std::vector<Piece> kept(const dataset::Text& text, RawForm) {
  std::vector<Piece> pieces;
  for (const dataset::TextPart& part : text.parts) {
    Piece piece;
    piece.channel.stage = trace::Stage::kRawInput;
    piece.channel.spec = {part.name, DType::kUInt8, {-1}, {}};
    piece.channel.encoding = kinds::kind_of(InputId::kText).encoding;
    piece.bytes = view_of(part.text);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}
std::vector<Piece> kept(const dataset::Readings& readings, RawForm) {
  const sensor::Series& series = readings.series;
  Piece piece;
  piece.channel.stage = trace::Stage::kRawInput;
  piece.channel.spec = {
      "readings", DType::kFloat32, {static_cast<std::int64_t>(series.steps()), series.axes}, {}};
  piece.channel.encoding = kinds::kind_of(InputId::kReadings).encoding;
  if (series.rate > 0) piece.channel.extra = {{kSampleRate, number(series.rate, 12)}};
  piece.bytes = ByteView(reinterpret_cast<const std::byte*>(series.values.data()),
                         series.values.size() * sizeof(float));
  std::vector<Piece> pieces;
  pieces.push_back(std::move(piece));
  return pieces;
}
// Of recorded tensors only the picture is raw: the others are the model's inputs themselves.
std::vector<Piece> kept(const dataset::Picture& picture, RawForm form) {
  std::vector<Piece> pieces;
  pieces.push_back(piece_of(picture, form));
  return pieces;
}
std::vector<Piece> kept(const dataset::Arrays& recorded, RawForm form) {
  if (recorded.text) return kept(*recorded.text, form);
  return recorded.picture ? kept(*recorded.picture, form) : std::vector<Piece>();
}
std::vector<Piece> kept(const dataset::RawInput& input, RawForm form) {
  return std::visit([&](const auto& kind) { return kept(kind, form); }, input);
}

/// Returns the number of bytes that a raw input takes, without building them.
std::size_t size_kept(const dataset::RawInput& input, RawForm form) {
  if (const dataset::Sound* const sound = dataset::sound_of(input))
    return sound->clip.samples.size() * (sound->clip.whole ? 2 : 4);
  std::size_t size = 0;
  for (const Piece& piece : kept(input, form)) size += piece.bytes.size;
  return size;
}

std::optional<bool> truth_from(std::string_view text) {
  return text == "true"    ? std::optional(true)
         : text == "false" ? std::optional(false)
                           : std::nullopt;
}

}  // namespace

const char* name(RawForm form) { return kForms[static_cast<std::size_t>(form)]; }

std::optional<RawForm> raw_form_from_name(std::string_view text) {
  for (std::size_t i = 0; i < kForms.size(); ++i)
    if (text == kForms[i]) return static_cast<RawForm>(i);
  return std::nullopt;
}

std::optional<trace::Channel> raw_channel(const dataset::RawInput& input, RawForm form) {
  auto pieces = kept(input, form);
  if (pieces.empty()) return std::nullopt;
  return std::move(pieces.front().channel);
}

kinds::InputId held_kind(const trace::Channel& channel) {
  for (const kinds::InputKind& kind : kinds::input_kinds())
    if (*kind.encoding && channel.encoding == kind.encoding) return kind.id;
  const Shape& shape = channel.spec.shape;
  const bool series = shape.size() <= 2 || (shape.size() == 3 && shape.front() == 1);
  const bool pixels = channel.spec.dtype == DType::kUInt8 && shape.size() == 3;
  return channel.encoding.empty() && series && !pixels ? InputId::kReadings : InputId::kPicture;
}

Result<audio::Clip> clip_of(const trace::Channel& channel, ByteView bytes) {
  const std::string title = "raw input '" + sanitized(channel.spec.name) + "' (audio)";
  const auto corrupt = [&](const std::string& what) {
    return Error{ErrorKind::kCorrupt, title + ": " + what};
  };
  audio::Clip clip;
  const Shape& shape = channel.spec.shape;
  const bool flat = shape.size() == 1;
  if ((channel.spec.dtype != DType::kInt16 && channel.spec.dtype != DType::kFloat32) ||
      (!flat && shape.size() != 2) || (!flat && (shape[1] < 1 || shape[1] > audio::kMostChannels)))
    return Error{ErrorKind::kUnsupported, title + ": it is " + name(channel.spec.dtype) + " " +
                                              to_text(shape) +
                                              ", expected int16 or float32 [samples, channels]"};
  clip.channels = flat ? 1 : static_cast<int>(shape[1]);
  clip.whole = channel.spec.dtype == DType::kInt16;
  const auto rate = channel.extra.find(kSampleRate);
  const char* const end =
      rate == channel.extra.end() ? nullptr : rate->second.data() + rate->second.size();
  if (!end) return corrupt("sample_rate is missing, expected Hz");
  if (const auto read = std::from_chars(rate->second.data(), end, clip.rate);
      read.ec != std::errc{} || read.ptr != end || !(clip.rate >= audio::kLeastRate) ||
      clip.rate > audio::kMostRate)
    return corrupt("sample_rate is '" + sanitized(rate->second, 40) +
                   "', expected Hz: record the rate that the device reports");
  const std::size_t width = clip.whole ? 2 : 4,
                    block = width * static_cast<std::size_t>(clip.channels);
  if (bytes.size == 0 || bytes.size % block != 0)
    return corrupt(std::to_string(bytes.size) + " bytes are not a whole number of samples");
  clip.samples = audio::samples_of(
      bytes, {clip.whole ? audio::Stored::Type::kSigned : audio::Stored::Type::kFloat,
              static_cast<int>(width), false});
  if (auto fine = audio::check_finite(clip); !fine) return std::move(fine.error()).during(title);
  return clip;
}

Result<sensor::Series> readings_of(const trace::Channel& channel, const TensorView& message) {
  const std::string title = "raw input '" + sanitized(channel.spec.name) + "'";
  double hz = 0;
  if (const auto rate = channel.extra.find(kSampleRate); rate != channel.extra.end()) {
    const char* const end = rate->second.data() + rate->second.size();
    const auto read = std::from_chars(rate->second.data(), end, hz);
    if (read.ec != std::errc{} || read.ptr != end || !(hz >= sensor::kLeastRate) ||
        hz > sensor::kMostRate)
      return Error{ErrorKind::kCorrupt,
                   title + ": sample_rate is '" + sanitized(rate->second, 40) + "', expected Hz"};
  }
  auto series = sensor::series_from(message, hz);
  if (!series) return std::move(series.error()).during(title);
  return series;
}

bool holds_frames(const trace::Channel& channel) {
  return channel.stage == trace::Stage::kRawInput &&
         preprocess::yuv_layout_from_name(channel.encoding).has_value();
}

Result<YuvFrame> frame_of(const trace::Channel& channel) {
  YuvFrame frame;
  const Keys keys(channel);
  const auto layout = preprocess::yuv_layout_from_name(channel.encoding);
  if (!layout)
    return Error{ErrorKind::kCorrupt,
                 "raw input '" + sanitized(channel.spec.name) + "' does not contain camera frames"};
  frame.layout = *layout;
  for (const Status& read :
       {keys.whole("width", true, frame.width), keys.whole("height", true, frame.height),
        keys.whole("stride", false, frame.stride), keys.whole("uv_stride", false, frame.uv_stride),
        keys.word("matrix", preprocess::yuv_matrix_from_name, "bt601 or bt709", frame.matrix),
        keys.word("range", preprocess::yuv_range_from_name, "limited or full", frame.range),
        keys.word("rotation", turn_from, "0, 90, 180 or 270", frame.rotation),
        keys.word("mirrored", truth_from, "true or false", frame.mirrored)})
    if (!read) return read.error();
  // A stride equal to the width means the same frame as no stride.
  if (frame.stride == frame.width) frame.stride = 0;
  if (const int given = std::exchange(frame.uv_stride, 0); given != frame.chroma_stride())
    frame.uv_stride = given;
  return frame;
}

std::uint64_t RawWriter::bytes_with(const dataset::RawInput& input) const {
  return form_ == RawForm::kNone ? bytes_ : bytes_ + size_kept(input, form_);
}

Status RawWriter::write(trace::Writer& writer, const dataset::RawInput& input, std::uint32_t frame,
                        std::uint64_t time_ns) {
  if (form_ == RawForm::kNone) return {};
  bytes_ = bytes_with(input);
  for (const Piece& piece : kept(input, form_)) {
    const trace::Channel& channel = piece.channel;
    std::string key = channel.spec.name + " " + channel.encoding + " " + name(channel.spec.dtype) +
                      " " + to_text(channel.spec.shape);
    for (const auto& [name, value] : channel.extra) key += " " + name + "=" + value;
    auto at = channels_.find(key);
    if (at == channels_.end()) {
      EP_TRY(auto id, writer.add_channel(channel));
      at = channels_.emplace(std::move(key), id).first;
    }
    EP_CHECK(writer.write(at->second, frame, time_ns, piece.bytes));
  }
  return {};
}

}  // namespace edgeprobe::pipeline
