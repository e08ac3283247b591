// SPDX-License-Identifier: Apache-2.0
#include "trace/channel_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/real_number.h"
#include "core/text.h"
#include "trace/names.h"

namespace edgeprobe::trace {
namespace {

constexpr std::string_view kPixels = "pixels", kAnswer = "answer";
constexpr std::uint64_t kLargestMessage = std::uint64_t{1} << 48;
constexpr std::array<std::string_view, 9> kOurKeys{"dtype",      "shape",      "scale",
                                                   "zero_point", "axis",       "position",
                                                   "tensor",     "layer_type", "encoding"};

bool is_our_key(std::string_view key) {
  for (const std::string_view ours : kOurKeys)
    if (key == ours) return true;
  return false;
}

std::string text_of(float value) {
  std::array<char, 32> buffer{};
  // shortest exact
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}
std::string text_of(std::int64_t value) { return std::to_string(value); }

template <class T>
std::string list_text(const std::vector<T>& values) {
  std::string text;
  for (const T value : values) {
    if (!text.empty()) text += ',';
    text += text_of(value);
  }
  return text;
}

// Parses the whole text or returns nothing. Spaces around a number are allowed because people type
// these lists.
template <class T>
bool parse_number(std::string_view text, T& value) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if constexpr (std::is_same_v<T, float>) {
    const std::optional<float> number = float_of(text);
    value = number.value_or(0);
    return number.has_value();
  } else {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failure == std::errc{} && end == text.data() + text.size() && !text.empty();
  }
}

template <class T>
bool parse_list(std::string_view text, std::vector<T>& values) {
  while (true) {
    const std::size_t comma = text.find(',');
    T value{};
    if (!parse_number(text.substr(0, comma), value)) return false;
    values.push_back(value);
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

class Keys {
 public:
  explicit Keys(const std::map<std::string, std::string>& values) : values_(values) {}
  const std::string* find(const char* key) const {
    const auto at = values_.find(key);
    return at == values_.end() ? nullptr : &at->second;
  }

 private:
  const std::map<std::string, std::string>& values_;
};

Error bad(std::string_view topic, std::string_view key, std::string_view value,
          std::string_view expected) {
  return {ErrorKind::kCorrupt, "channel '" + sanitized(topic) + "': " + std::string(key) + " is '" +
                                   sanitized(value, 60) + "', expected " + std::string(expected)};
}

std::optional<Error> read_quantization(std::string_view topic, const Keys& keys, TensorSpec& spec) {
  const std::string* const scale = keys.find("scale");
  if (!scale) return std::nullopt;
  Quantization& q = spec.quantization;
  if (!parse_list(*scale, q.scale))
    return bad(topic, "scale", *scale, "numbers with commas between");
  for (const float value : q.scale)
    if (!std::isfinite(value)) return bad(topic, "scale", *scale, "finite numbers");
  if (const std::string* const axis = keys.find("axis"))
    if (!parse_number(*axis, q.axis)) return bad(topic, "axis", *axis, "a whole number");
  if (q.per_channel()) {
    const auto rank = static_cast<int>(spec.shape.size());
    if (q.axis < 0 || q.axis >= rank ||
        spec.shape[static_cast<std::size_t>(q.axis)] != static_cast<std::int64_t>(q.scale.size()))
      return bad(topic, "scale", std::to_string(q.scale.size()) + " numbers",
                 "one, or one for each index along axis " + std::to_string(q.axis) + " of " +
                     to_text(spec.shape));
  }
  if (const std::string* const zero = keys.find("zero_point"))
    if (!parse_list(*zero, q.zero_point))
      return bad(topic, "zero_point", *zero, "whole numbers with commas between");
  if (q.zero_point.empty()) q.zero_point.push_back(0);
  if (q.zero_point.size() != 1 && q.zero_point.size() != q.scale.size())
    return bad(topic, "zero_point", std::to_string(q.zero_point.size()) + " numbers",
               "one, or as many as scales");
  return std::nullopt;
}

}  // namespace

std::string topic_of(const Channel& channel) {
  return std::string("/") + name(channel.stage) + "/" + escape(channel.spec.name);
}

std::map<std::string, std::string> metadata_of(const Channel& channel) {
  std::map<std::string, std::string> out;
  for (const auto& [key, value] : channel.extra)
    if (!is_our_key(key)) out[as_utf8(key)] = as_utf8(value);
  out["dtype"] = edgeprobe::name(channel.spec.dtype);
  out["shape"] = to_list(channel.spec.shape);
  const Quantization& q = channel.spec.quantization;
  if (!q.empty()) {
    out["scale"] = list_text(q.scale);
    out["zero_point"] = q.zero_point.empty() ? "0" : list_text(q.zero_point);
    if (q.per_channel()) out["axis"] = std::to_string(q.axis);
  }
  if (channel.position >= 0) out["position"] = std::to_string(channel.position);
  if (channel.tensor >= 0) out["tensor"] = std::to_string(channel.tensor);
  if (!channel.layer_type.empty()) out["layer_type"] = as_utf8(channel.layer_type);
  if (!channel.encoding.empty()) out["encoding"] = as_utf8(channel.encoding);
  return out;
}

std::uint64_t channel_bytes(const std::string& topic,
                            const std::map<std::string, std::string>& metadata) {
  // Record, ids and lengths; the chunk's index and its offset; an entry of the statistics.
  constexpr std::uint64_t kRecord = 9 + 4 + 3 * 4, kIndexes = 15 + 10, kStatistics = 10;
  std::uint64_t texts = topic.size() + kTensorEncoding.size();
  for (const auto& [key, value] : metadata) texts += 2 * 4 + key.size() + value.size();
  return 2 * (kRecord + texts) + kIndexes + kStatistics;
}

Result<Channel> channel_from(std::string_view topic,
                             const std::map<std::string, std::string>& metadata) {
  Channel channel;
  const std::size_t slash = topic.size() < 2 ? std::string_view::npos : topic.find('/', 1);
  const auto stage = topic.empty() || topic[0] != '/' || slash == std::string_view::npos
                         ? std::nullopt
                         : stage_from_name(topic.substr(1, slash - 1));
  if (!stage)
    return Error{ErrorKind::kUnsupported,
                 "channel '" + sanitized(topic) +
                     "': the topic does not start with a known stage (/raw_input/, "
                     "/intermediate/, /model_input/, /layer/, /model_output/, /variable/, …)"};
  channel.stage = *stage;
  channel.spec.name = unescape(topic.substr(slash + 1));

  const Keys keys(metadata);
  const std::string* const dtype = keys.find("dtype");
  const std::string* const shape = keys.find("shape");
  if (!dtype || !shape)
    return Error{ErrorKind::kCorrupt, "channel '" + sanitized(topic) + "': its metadata has no " +
                                          (dtype ? "shape" : "dtype")};
  const auto known = dtype_from_name(*dtype);
  if (!known || *known == DType::kOther)
    return bad(topic, "dtype", *dtype, "a name such as float32 or int8");
  channel.spec.dtype = *known;
  const auto dims = shape_from_list(*shape);
  if (!dims) return bad(topic, "shape", *shape, "whole numbers with commas between");
  channel.spec.shape = *dims;
  if (const std::string* const encoding = keys.find("encoding")) channel.encoding = *encoding;
  if (channel.encoding.empty() && channel.stage == Stage::kRawInput && *known == DType::kUInt8 &&
      dims->size() == 3)
    channel.encoding = kPixels;

  if (channel.is_answer() && channel.encoding != kAnswer)
    return bad(topic, "encoding", channel.encoding, "answer");
  if (channel.is_open()) {
    if (*known != DType::kUInt8 || *dims != Shape{-1})
      return bad(topic, "shape", *shape, "-1 of uint8 for files, texts and answers");
  } else {
    const auto size = channel.spec.byte_size();
    if (!size || *size > kLargestMessage)
      return bad(topic, "shape", *shape, "dimensions of 0 or more whose product fits");
  }
  if (auto error = read_quantization(topic, keys, channel.spec)) return *error;
  if (const std::string* const position = keys.find("position"))
    if (!parse_number(*position, channel.position))
      return bad(topic, "position", *position, "a whole number");
  if (const std::string* const tensor = keys.find("tensor"))
    if (!parse_number(*tensor, channel.tensor))
      return bad(topic, "tensor", *tensor, "a whole number");
  if (const std::string* const type = keys.find("layer_type")) channel.layer_type = *type;
  for (const auto& [key, value] : metadata)
    if (!is_our_key(key)) channel.extra[key] = value;
  return channel;
}

std::optional<std::size_t> message_size(const Channel& channel) {
  if (channel.is_open()) return std::nullopt;
  return channel.spec.byte_size();
}

std::optional<Error> unwritable(const Channel& channel) {
  const std::string topic = topic_of(channel);
  if (topic.size() > kLongestTopic)
    return Error{ErrorKind::kLimit, "tensor '" + sanitized(channel.spec.name, 60) +
                                        "': its name takes " + std::to_string(topic.size()) +
                                        " bytes in a trace, at most " +
                                        std::to_string(kLongestTopic) + " are written"};
  // A channel is valid if reading it back succeeds; there is no second definition.
  auto back = channel_from(topic, metadata_of(channel));
  if (!back) return Error{ErrorKind::kUsage, back.error().what};
  return std::nullopt;
}

}  // namespace edgeprobe::trace
