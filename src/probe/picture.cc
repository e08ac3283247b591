// SPDX-License-Identifier: Apache-2.0
#include "probe/picture.h"

#include <algorithm>
#include <string>

#include "core/text.h"

namespace edgeprobe::probe {
namespace {

struct Format {
  const char* encoding;
  std::uint32_t channels;  // 0: YUV 4:2:0
  bool has_pairs;
};
constexpr Format kFormats[] = {{"pixels", 3, false}, {"bgr8", 3, false},   {"rgba8", 4, false},
                               {"bgra8", 4, false},  {"pixels", 1, false}, {"nv12", 0, true},
                               {"nv21", 0, true},    {"i420", 0, false},   {"yv12", 0, false}};

enum Trait {
  kFormat,
  kWidth,
  kHeight,
  kStride,
  kChromaStride,
  kRotation,
  kMirrored,
  kFullRange,
  kBt709
};

void describe(const std::int64_t* traits, trace::Channel& channel) {
  auto& extra = channel.extra;
  if (traits[kRotation]) extra["rotation"] = std::to_string(traits[kRotation]);
  if (traits[kMirrored]) extra["mirrored"] = "true";
  if (kFormats[traits[kFormat]].channels) return;
  extra["width"] = std::to_string(traits[kWidth]);
  extra["height"] = std::to_string(traits[kHeight]);
  extra["stride"] = std::to_string(traits[kStride]);
  extra["uv_stride"] = std::to_string(traits[kChromaStride]);
  extra["matrix"] = traits[kBt709] ? "bt709" : "bt601";
  extra["range"] = traits[kFullRange] ? "full" : "limited";
}

Error wrong(const Picture& picture, const std::string& why) {
  return {ErrorKind::kUsage, "image '" + sanitized(picture.name, 60) + "': " + why};
}

Error too_short(const Picture& picture, std::uint64_t needed) {
  return wrong(picture, std::to_string(picture.bytes.size) + " bytes, its size and strides need " +
                            std::to_string(needed));
}

}  // namespace

Status PictureTensor::make(const Picture& picture) {
  constexpr std::uint32_t kLargest = 1u << 20;
  const Format& format = kFormats[static_cast<std::size_t>(picture.format)];
  if (picture.width == 0 || picture.height == 0 || picture.width > kLargest ||
      picture.height > kLargest)
    return wrong(picture, std::to_string(picture.width) + "x" + std::to_string(picture.height) +
                              " pixels, expected 1 to " + std::to_string(kLargest));
  if (picture.rotation % 90 || picture.rotation < 0 || picture.rotation > 270)
    return wrong(picture, "its rotation is " + std::to_string(picture.rotation) +
                              ", expected 0, 90, 180 or 270");
  const std::uint64_t row = std::uint64_t{picture.width} * (format.channels ? format.channels : 1);
  const std::uint64_t stride = picture.stride ? picture.stride : row;
  if (stride < row)
    return wrong(picture, "its stride is " + std::to_string(stride) + ", a row has " +
                              std::to_string(row) + " bytes");

  traits_[kFormat] = static_cast<std::int64_t>(picture.format);
  traits_[kRotation] = picture.rotation;
  traits_[kMirrored] = picture.is_mirrored;
  logged_.stage = trace::Stage::kRawInput;
  logged_.name = picture.name;
  logged_.dtype = DType::kUInt8;
  logged_.encoding = format.encoding;
  logged_.describe = describe;
  logged_.shape = shape_.data();
  logged_.traits = traits_.data();
  logged_.trait_count = static_cast<std::uint32_t>(traits_.size());
  if (!format.channels) return make_yuv(picture, stride);

  const std::uint64_t needed = stride * (picture.height - 1) + row;
  if (needed > picture.bytes.size) return too_short(picture, needed);
  shape_ = {picture.height, picture.width, format.channels};
  logged_.rank = 3;
  rows_ = trace::StridedBytes(picture.bytes.data, static_cast<std::size_t>(row),
                              static_cast<std::size_t>(stride), picture.height);
  if (stride == row) rows_ = picture.bytes.sub(0, static_cast<std::size_t>(needed));
  return {};
}

Status PictureTensor::make_yuv(const Picture& picture, std::uint64_t stride) {
  const bool has_pairs = kFormats[static_cast<std::size_t>(picture.format)].has_pairs;
  const std::uint64_t half_width = (picture.width + 1u) / 2,
                      half_height = (picture.height + 1u) / 2;
  const std::uint64_t chroma_row = has_pairs ? 2 * half_width : half_width;
  // The layout that a reader of the trace assumes if none is given.
  const std::uint64_t tight =
      has_pairs ? stride + (stride == picture.width ? picture.width % 2 : 0) : (stride + 1) / 2;
  const std::uint64_t chroma_stride = picture.chroma_stride ? picture.chroma_stride : tight;
  if (chroma_stride < chroma_row)
    return wrong(picture, "its chroma stride is " + std::to_string(chroma_stride) +
                              ", a row of chroma has " + std::to_string(chroma_row) + " bytes");
  const std::uint64_t whole =
      stride * picture.height + chroma_stride * half_height * (has_pairs ? 1 : 2);
  // The last row may lack its padding.
  const std::uint64_t needed = whole - chroma_stride + chroma_row;
  if (needed > picture.bytes.size) return too_short(picture, needed);

  traits_[kWidth] = picture.width;
  traits_[kHeight] = picture.height;
  traits_[kStride] = static_cast<std::int64_t>(stride);
  traits_[kChromaStride] = static_cast<std::int64_t>(chroma_stride);
  traits_[kFullRange] = picture.is_full_range;
  traits_[kBt709] = picture.is_bt709;
  const ByteView kept = picture.bytes.sub(
      0, static_cast<std::size_t>(std::min<std::uint64_t>(whole, picture.bytes.size)));
  shape_[0] = static_cast<std::int64_t>(kept.size);
  logged_.rank = 1;
  rows_ = kept;
  return {};
}

}  // namespace edgeprobe::probe
