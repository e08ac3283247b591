// SPDX-License-Identifier: Apache-2.0
#include "trace/receive/device_message.h"

#include <array>
#include <string>

#include "trace/channel_text.h"

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kMostRank = 8, kLongestName = 1024;

// Indexed by the type numbers of edgeprobe_mcu.h.
constexpr std::array<DType, 13> kDtypes{
    DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64, DType::kInt8,
    DType::kUInt8,   DType::kInt16,   DType::kUInt16,   DType::kInt32,   DType::kUInt32,
    DType::kInt64,   DType::kUInt64,  DType::kBool};
constexpr std::array<Stage, 8> kStages{
    Stage::kLayer /* 0 is none */, Stage::kIntermediate, Stage::kModelInput, Stage::kLayer,
    Stage::kModelOutput,           Stage::kLayer,        Stage::kVariable,   Stage::kRawInput};
constexpr std::uint8_t kEmbedding = 5, kRawInput = 7;

struct Format {
  int channels;  // 0 if not pixels
  const char* encoding;
};
constexpr std::array<Format, 7> kFormats{{{0, ""},
                                          {3, "pixels"},
                                          {3, "bgr8"},
                                          {4, "rgba8"},
                                          {4, "bgra8"},
                                          {1, "pixels"},
                                          {0, "encoded"}}};
constexpr std::uint8_t kValues = 0, kEncoded = 6;

Error wrong(const char* what) {
  return {ErrorKind::kCorrupt, std::string("the description of a channel has ") + what};
}

}  // namespace

std::string_view Fields::name() {
  const std::size_t end = rest().text().find('\0');
  if (end == std::string_view::npos) {
    fail();
    return {};
  }
  const std::string_view text = take(end).text();
  (void)take(1);
  return text;
}

Result<Channel> described_channel(ByteView description) {
  Fields fields(description);
  const std::uint8_t stage = fields.u8(), dtype = fields.u8(), format = fields.u8(),
                     rank = fields.u8(), flags = fields.u8(), axis = fields.u8();
  const auto position = static_cast<std::int16_t>(fields.u16());
  const std::uint16_t rotation = fields.u16(), scales = fields.u16(), zero_points = fields.u16();
  if (!fields.ok()) return wrong("too few bytes");
  if (stage == 0 || stage >= kStages.size()) return wrong("no known stage");
  if (dtype >= kDtypes.size()) return wrong("no known dtype");
  if (format >= kFormats.size()) return wrong("no known format");
  if (format != kValues && stage != kRawInput)
    return wrong("a picture's format without being a raw input");
  if (rank > kMostRank) return wrong("too many dimensions");

  Channel channel;
  channel.stage = kStages[stage];
  channel.spec.dtype = kDtypes[dtype];
  for (unsigned i = 0; i < rank; ++i) channel.spec.shape.push_back(fields.i32());
  for (unsigned i = 0; i < scales && fields.ok(); ++i)
    channel.spec.quantization.scale.push_back(fields.f32());
  for (unsigned i = 0; i < zero_points && fields.ok(); ++i)
    channel.spec.quantization.zero_point.push_back(fields.i32());
  channel.spec.quantization.axis = scales > 1 ? axis : 0;
  if (scales && !zero_points) channel.spec.quantization.zero_point = {0};
  channel.spec.name = fields.name();
  channel.layer_type = fields.name();
  if (!fields.at_end()) return wrong("too few or too many bytes");
  if (channel.spec.name.size() > kLongestName || channel.layer_type.size() > kLongestName)
    return wrong("a name of more than 1,024 bytes");

  if (channel.stage == Stage::kModelInput || channel.stage == Stage::kModelOutput ||
      channel.stage == Stage::kLayer)
    channel.position = position < 0 ? -1 : position;
  if (stage == kEmbedding) channel.extra["embedding"] = "true";
  if (format != kValues) {
    if (channel.spec.dtype != DType::kUInt8) return wrong("a picture that is not uint8");
    if (rank != (format == kEncoded ? 0 : 2)) return wrong("a picture without height and width");
    channel.encoding = kFormats[format].encoding;
    channel.spec.shape.push_back(format == kEncoded ? -1 : kFormats[format].channels);
    if (rotation) channel.extra["rotation"] = std::to_string(rotation);
    if (flags & 1u) channel.extra["mirrored"] = "true";
  }
  if (auto error = unwritable(channel)) return std::move(*error);
  // Do not write what cannot be read again.
  EP_CHECK(channel_from(topic_of(channel), metadata_of(channel)));
  if (const auto size = message_size(channel); size && *size == 0) return wrong("no values");
  return channel;
}

}  // namespace edgeprobe::trace
