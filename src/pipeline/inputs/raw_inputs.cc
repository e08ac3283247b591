// SPDX-License-Identifier: Apache-2.0
#include "pipeline/inputs/raw_inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "core/evenly_spaced.h"
#include "core/file.h"
#include "core/text.h"
#include "pipeline/inputs/raw_channel.h"
#include "pipeline/inputs/recorded_inputs.h"
#include "task/recorded.h"
#include "text/utf8.h"

namespace edgeprobe::pipeline {
namespace {

using dataset::Loaded;
using dataset::Sample;

// The channel does not state what its bytes are; reading them as pixels would be a guess.
Error unknown_encoding(const trace::Channel& channel, const std::string& name) {
  return {ErrorKind::kUnsupported, "'" + sanitized(name) + "': raw input in the encoding '" +
                                       sanitized(channel.encoding, 40) +
                                       "'; known are encoded, pixels, bgr8, rgba8, bgra8, nv12, "
                                       "nv21, i420, yv12, audio and readings"};
}

// Byte order of one pixel.
struct PixelOrder {
  const char* encoding;
  std::int64_t channels;
  std::array<std::uint8_t, 3> rgb;  // positions of red, green and blue
};
constexpr std::array<PixelOrder, 3> kOrders{
    {{"bgr8", 3, {2, 1, 0}}, {"rgba8", 4, {0, 1, 2}}, {"bgra8", 4, {2, 1, 0}}}};

const PixelOrder* order_of(const std::string& encoding) {
  for (const PixelOrder& order : kOrders)
    if (encoding == order.encoding) return &order;
  return nullptr;
}

// `order` null: gray or RGB, unchanged.
Result<Loaded> from_pixels(const TensorView& tensor, const PixelOrder* order,
                           const std::string& name) {
  Shape shape = tensor.spec->shape;
  if (shape.size() == 4 && shape[0] == 1) shape.erase(shape.begin());
  const bool fits =
      shape.size() == 3 && (order ? shape[2] == order->channels : shape[2] == 1 || shape[2] == 3);
  if (tensor.spec->dtype != DType::kUInt8 || !fits)
    return Error{ErrorKind::kUnsupported,
                 "'" + sanitized(name) + "': raw input is " + edgeprobe::name(tensor.spec->dtype) +
                     " " + to_text(tensor.spec->shape) + ", expected uint8 [height, width, " +
                     (order ? std::to_string(order->channels) : "3 or 1") + "]"};
  dataset::Picture picture;
  picture.image = {static_cast<int>(shape[0]),
                   static_cast<int>(shape[1]),
                   order ? 3 : static_cast<int>(shape[2]),
                   {}};
  const auto* first = reinterpret_cast<const std::uint8_t*>(tensor.bytes.data);
  auto& pixels = picture.image.pixels;
  if (!order) {
    pixels.assign(first, first + tensor.bytes.size);
  } else {
    pixels.resize(tensor.bytes.size / static_cast<std::size_t>(order->channels) * 3);
    for (std::size_t to = 0; to + 3 <= pixels.size(); to += 3, first += order->channels)
      for (std::size_t c = 0; c < 3; ++c) pixels[to + c] = first[order->rgb[c]];
  }
  return Loaded{std::move(picture), sha256(tensor.bytes)};
}

// Returns the raw-input channel that has a message for this frame.
std::optional<trace::ChannelId> raw_channel(const trace::Reader& reader, std::uint32_t frame) {
  for (const trace::ReadChannel& channel : reader.channels()) {
    if (channel.channel.stage != trace::Stage::kRawInput) continue;
    const auto message = reader.read(frame, channel.id);
    if (message && *message) return channel.id;
  }
  return std::nullopt;
}

const trace::ReadChannel& channel_of(const trace::Reader& reader, trace::ChannelId id) {
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.id == id) return channel;
  return reader.channels().front();
}

/// Returns all texts of a frame, in channel order.
Result<Loaded> texts_of(const trace::Reader& reader, std::uint32_t frame, const std::string& name) {
  dataset::Text content;
  std::string all;
  for (const trace::ReadChannel& channel : reader.channels()) {
    if (channel.channel.stage != trace::Stage::kRawInput ||
        held_kind(channel.channel) != kinds::InputId::kText)
      continue;
    EP_TRY(const auto message, reader.read(frame, channel.id));
    if (!message) continue;
    std::string part(message->bytes.text());
    if (const auto bad = text::first_bad_byte(part))
      return Error{ErrorKind::kCorrupt, "'" + sanitized(name) + "': the text '" +
                                            sanitized(channel.channel.spec.name, 60) +
                                            "' is not UTF-8 from byte " + std::to_string(*bad + 1) +
                                            " on; log it as UTF-8 with frame.text()"};
    all += part + '\0';
    content.parts.push_back({channel.channel.spec.name, std::move(part)});
  }
  return Loaded{std::move(content), sha256(view_of(all))};
}

/// Loads a file, a camera frame or pixels.
Result<Loaded> picture_in(const trace::Channel& channel, const TensorView& message,
                          const std::string& name) {
  if (channel.encoding == "encoded") return dataset::load_encoded(message.bytes.copy(), name);
  if (holds_frames(channel)) {
    const auto description = frame_of(channel);
    if (!description) return Error(description.error()).during("'" + sanitized(name) + "'");
    return dataset::load_frame(message.bytes.copy(), *description, name);
  }
  const PixelOrder* const order = order_of(channel.encoding);
  if (!order && !channel.encoding.empty() && channel.encoding != "pixels")
    return unknown_encoding(channel, name);
  return from_pixels(message, order, name);
}

Result<Loaded> load_from(const trace::Reader& reader, std::uint32_t frame, trace::ChannelId id,
                         const std::string& name) {
  EP_TRY(const auto message, reader.read(frame, id));
  if (!message)
    return Error{ErrorKind::kNotFound,
                 "'" + sanitized(name) + "': its raw input is gone from the trace"};
  const trace::ReadChannel& channel = channel_of(reader, id);
  switch (held_kind(channel.channel)) {
    case kinds::InputId::kText: return texts_of(reader, frame, name);
    case kinds::InputId::kSound: {
      auto clip = clip_of(channel.channel, message->bytes);
      if (!clip) return std::move(clip.error()).during("'" + sanitized(name) + "'");
      return Loaded{dataset::Sound{*std::move(clip)}, sha256(message->bytes)};
    }
    case kinds::InputId::kReadings: {
      auto series = readings_of(channel.channel, *message);
      if (!series) return std::move(series.error()).during("'" + sanitized(name) + "'");
      return Loaded{dataset::Readings{*std::move(series)}, sha256(message->bytes)};
    }
    case kinds::InputId::kPicture:
    case kinds::InputId::kTensors: break;
  }
  return picture_in(channel.channel, *message, name);
}

// Returns the byte order that the pictures were logged with; empty if the trace holds files or
// camera frames.
std::string order_logged(const trace::Channel& channel) {
  if (held_kind(channel) == kinds::InputId::kReadings) return "";
  if (channel.encoding.empty() || channel.encoding == "pixels") return "rgb8";
  return order_of(channel.encoding) ? channel.encoding : "";
}

std::string file_name(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? name : name.substr(slash + 1);
}

// Finds samples by whole name and by last path component; a last component that two samples share
// matches neither.
class ByName {
 public:
  explicit ByName(const std::vector<Sample>& data) {
    for (const Sample& sample : data) {
      whole_[sample.name] = &sample;
      const auto [at, fresh] = last_.emplace(file_name(sample.name), &sample);
      if (!fresh) at->second = nullptr;
    }
  }
  const Sample* find(const std::string& name) const {
    if (const auto at = whole_.find(name); at != whole_.end()) return at->second;
    const auto at = last_.find(file_name(name));
    return at == last_.end() ? nullptr : at->second;
  }

 private:
  std::map<std::string, const Sample*> whole_, last_;
};

// Two decoders of one file differ by less than this (RMS of 255); swapped colours must clearly
// exceed it.
constexpr double kOnePicture = 4, kPlain = 8;
constexpr std::size_t kCompared = 16;

void exchange(preprocess::Image& image) {
  if (image.channels != 3) return;
  for (std::size_t at = 0; at + 3 <= image.pixels.size(); at += 3)
    std::swap(image.pixels[at], image.pixels[at + 2]);
}

double rms(const preprocess::Image& a, const preprocess::Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    const double d = double(a.pixels[i]) - double(b.pixels[i]);
    sum += d * d;
  }
  return std::sqrt(sum / double(std::max<std::size_t>(1, a.pixels.size())));
}

// Takes the annotation of the data for a frame without one.
void complete(Sample& sample, const Sample& given) {
  if (sample.annotation) return;
  sample.annotation = given.annotation;
  sample.may_follow_background = given.may_follow_background;
}

// A picture of the trace and the file with its name.
struct Named {
  std::size_t sample = 0;
  const Sample* file = nullptr;
};

// OpenCV's pictures are BGR, and are easily logged as RGB. The files reveal this: every comparable
// picture must agree.
void judge_by_files(const std::vector<Named>& named, TraceSamples& found) {
  std::size_t plain = 0, exchanged = 0;
  for (const std::size_t k : evenly_spaced(named.size(), kCompared)) {
    auto recorded = found.samples[named[k].sample].load();
    const auto file = named[k].file->load();
    dataset::Picture* const logged = recorded ? dataset::picture_of(recorded->input) : nullptr;
    const dataset::Picture* const filed = file ? dataset::picture_of(file->input) : nullptr;
    if (!logged || !filed) continue;
    preprocess::Image& a = logged->image;
    const preprocess::Image& b = filed->image;
    if (a.channels != 3 || a.height != b.height || a.width != b.width ||
        a.pixels.size() != b.pixels.size())
      continue;
    const double as_logged = rms(a, b);
    exchange(a);
    const double turned = rms(a, b);
    plain += as_logged <= kOnePicture && turned > as_logged + kPlain;
    exchanged += turned <= kOnePicture && as_logged > turned + kPlain;
  }
  if (exchanged == 0 && plain > 0) found.logged_as.clear();
  if (exchanged == 0 || plain > 0) return;
  const std::string right = found.logged_as.substr(0, 3) == "bgr" ? "rgb" : "bgr";
  found.exchanged =
      "the recorded pictures are the files with red and blue exchanged: log them as " + right +
      found.logged_as.substr(3);
  found.logged_as.clear();
  for (Sample& sample : found.samples)
    sample.load = [load = sample.load]() -> Result<Loaded> {
      auto loaded = load();
      dataset::Picture* const picture = loaded ? dataset::picture_of(loaded->input) : nullptr;
      if (picture) exchange(picture->image);
      return loaded;
    };
}

}  // namespace

Result<TraceSamples> raw_inputs(const trace::Reader& reader, const std::vector<Sample>& data) {
  TraceSamples found;
  found.pictures = data.size();
  if (!data.empty()) found.first_picture = data.front().name;
  const ByName by_name(data);
  const RecordedInputs recorded(reader);
  const bool arrays_given = !data.empty() && !data.front().arrays.empty();
  std::vector<Named> named;
  bool files = false;
  std::map<std::string, const Sample*> by_hash;
  bool hashed = false;
  const auto find_hash = [&](const std::string& hash) -> const Sample* {
    if (!hashed) {
      hashed = true;
      for (const Sample& sample : data)
        if (const auto loaded = sample.load()) by_hash.emplace(loaded->sha256, &sample);
    }
    const auto at = by_hash.find(hash);
    return at == by_hash.end() ? nullptr : at->second;
  };

  for (std::size_t i = 0; i < reader.frames().size(); ++i) {
    const std::uint32_t frame = reader.frames()[i];
    const trace::FrameRecord& record = reader.records()[i];
    const std::string name =
        record.sample.empty() ? "frame " + std::to_string(frame) : record.sample;
    Sample sample{name, task::recorded(record), nullptr};
    bool altered = false;
    // Given arrays take priority over a picture in the trace, which is at most one of their inputs.
    const auto id =
        arrays_given && by_name.find(record.sample) ? std::nullopt : raw_channel(reader, frame);
    if (id) {
      // Pixels from a file use the hash in the frame record, which is the file's: a replay is
      // joined by it.
      sample.load = [&reader, frame, id = *id, name, hash = record.sha256] {
        auto loaded = load_from(reader, frame, id, name);
        if (loaded && !hash.empty()) loaded->sha256 = hash;
        return loaded;
      };
      const std::string order = order_logged(channel_of(reader, *id).channel);
      if (order.empty()) files = true;
      else found.logged_as = order;
      const Sample* file =
          order.empty() || record.sample.empty() ? nullptr : by_name.find(record.sample);
      if (file && file->load) named.push_back({found.samples.size(), file});
    } else {
      const Sample* match = record.sample.empty() ? nullptr : by_name.find(record.sample);
      if (match && !record.sha256.empty()) {
        const auto loaded = match->load();
        altered = !loaded || loaded->sha256 != record.sha256;
        if (altered) match = nullptr;
      }
      if (!match && !record.sha256.empty()) match = find_hash(record.sha256);
      files = files || match;
      if (match) {
        sample.load = match->load;
        sample.arrays = match->arrays;
        sample.begins_sequence = match->begins_sequence;
        complete(sample, *match);
      }
    }
    if (recorded.are_data() && sample.arrays.empty()) {
      sample.arrays = recorded.specs(frame);
      if (!sample.arrays.empty()) sample.load = recorded.loader(frame, sample.load);
      sample.begins_sequence = found.samples.empty() || recorded.begins_sequence(frame);
    }
    // An annotation given with the data completes a trace that has none.
    if (!record.sample.empty())
      if (const Sample* match = by_name.find(record.sample)) complete(sample, *match);
    if (!sample.load) {
      found.without_raw.push_back(name);
      found.unnamed += record.sample.empty();
      if (!record.sample.empty() && (found.first_name.empty() || (altered && !found.altered)))
        found.first_name = record.sample;
      found.altered += altered;
      continue;
    }
    found.samples.push_back(std::move(sample));
    found.frames.push_back(frame);
  }
  // A trace that mixes pixels and files gets no byte order: its pictures do not all come from one
  // line of the app.
  if (files) found.logged_as.clear();
  else judge_by_files(named, found);
  return found;
}

}  // namespace edgeprobe::pipeline
