#include "pipeline/raw_inputs.h"

#include <array>
#include <map>
#include <optional>

#include "core/file.h"
#include "core/text.h"
#include "pipeline/raw_channel.h"

namespace edgeprobe::pipeline {
namespace {

using dataset::Loaded;
using dataset::Sample;

// Not a word about what the bytes are: taken for pixels would be a guess.
Error unknown_encoding(const trace::Channel& channel, const std::string& name) {
  return {Fault::kUnsupported, "'" + printable(name) + "': raw input in the encoding '" + printable(channel.encoding, 40) +
                                   "'; known are encoded, pixels, bgr8, rgba8, bgra8, nv12, nv21, i420 and yv12"};
}

// How the bytes of one pixel stand.
struct PixelOrder {
  const char* encoding;
  std::int64_t channels;
  std::array<std::uint8_t, 3> rgb;  // where red, green and blue are
};
constexpr std::array<PixelOrder, 3> kOrders{{{"bgr8", 3, {2, 1, 0}}, {"rgba8", 4, {0, 1, 2}}, {"bgra8", 4, {2, 1, 0}}}};

const PixelOrder* order_of(const std::string& encoding) {
  for (const PixelOrder& order : kOrders)
    if (encoding == order.encoding) return &order;
  return nullptr;
}

// `order` null: gray or RGB as it stands.
Result<Loaded> from_pixels(const TensorView& tensor, const PixelOrder* order, const std::string& name) {
  Shape shape = tensor.spec->shape;
  if (shape.size() == 4 && shape[0] == 1) shape.erase(shape.begin());
  const bool fits = shape.size() == 3 && (order ? shape[2] == order->channels : shape[2] == 1 || shape[2] == 3);
  if (tensor.spec->dtype != DType::kUInt8 || !fits)
    return Error{Fault::kUnsupported, "'" + printable(name) + "': raw input is " + edgeprobe::name(tensor.spec->dtype) +
                                          " " + to_text(tensor.spec->shape) + ", expected uint8 [height, width, " +
                                          (order ? std::to_string(order->channels) : "3 or 1") + "]"};
  Loaded loaded;
  loaded.image = {static_cast<int>(shape[0]), static_cast<int>(shape[1]), order ? 3 : static_cast<int>(shape[2]), {}};
  const auto* first = reinterpret_cast<const std::uint8_t*>(tensor.bytes.data);
  auto& pixels = loaded.image.pixels;
  if (!order) {
    pixels.assign(first, first + tensor.bytes.size);
  } else {
    pixels.resize(tensor.bytes.size / static_cast<std::size_t>(order->channels) * 3);
    for (std::size_t to = 0; to + 3 <= pixels.size(); to += 3, first += order->channels)
      for (std::size_t c = 0; c < 3; ++c) pixels[to + c] = first[order->rgb[c]];
  }
  loaded.sha256 = sha256(tensor.bytes);
  return loaded;
}

// The raw-input channel that has a message for this frame.
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

Result<Loaded> load_from(const trace::Reader& reader, std::uint32_t frame, trace::ChannelId id, const std::string& name) {
  const auto message = reader.read(frame, id);
  if (!message) return message.error();
  if (!*message) return Error{Fault::kNotFound, "'" + printable(name) + "': its raw input is gone from the trace"};
  const trace::ReadChannel& channel = channel_of(reader, id);
  if (channel.channel.encoding == "encoded") return dataset::load_encoded((*message)->bytes.copy(), name);
  if (holds_frames(channel.channel)) {
    const auto description = frame_of(channel.channel);
    if (!description) return Error(description.error()).during("'" + printable(name) + "'");
    return dataset::load_frame((*message)->bytes.copy(), *description, name);
  }
  const PixelOrder* const order = order_of(channel.channel.encoding);
  if (!order && !channel.channel.encoding.empty() && channel.channel.encoding != "pixels") return unknown_encoding(channel.channel, name);
  return from_pixels(**message, order, name);
}

std::string file_name(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? name : name.substr(slash + 1);
}

// Samples by whole name and by last part; a last part that two samples share stands for neither.
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

}  // namespace

Result<TraceSamples> raw_inputs(const trace::Reader& reader, const std::vector<Sample>& data) {
  TraceSamples found;
  const ByName by_name(data);
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
    const std::string name = record.sample.empty() ? "frame " + std::to_string(frame) : record.sample;
    Sample sample{name, record.label, nullptr};
    if (const auto id = raw_channel(reader, frame)) {
      sample.load = [&reader, frame, id = *id, name] { return load_from(reader, frame, id, name); };
    } else {
      const Sample* match = record.sample.empty() ? nullptr : by_name.find(record.sample);
      if (match && !record.sha256.empty()) {
        const auto loaded = match->load();
        if (!loaded || loaded->sha256 != record.sha256) match = nullptr;
      }
      if (!match && !record.sha256.empty()) match = find_hash(record.sha256);
      if (match) {
        sample.load = match->load;
        if (!sample.label) sample.label = match->label;
      }
    }
    // A label given with the data completes a trace that has none.
    if (!sample.label && !record.sample.empty())
      if (const Sample* match = by_name.find(record.sample)) sample.label = match->label;
    if (!sample.load) {
      found.without_raw.push_back(name);
      continue;
    }
    found.samples.push_back(std::move(sample));
    found.frames.push_back(frame);
  }
  return found;
}

}  // namespace edgeprobe::pipeline
