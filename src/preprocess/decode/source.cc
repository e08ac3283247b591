// SPDX-License-Identifier: Apache-2.0
#include "preprocess/decode/source.h"

#include <algorithm>
#include <utility>

#include "preprocess/decode/codecs.h"

namespace edgeprobe::preprocess {
namespace {

bool is_of_frames(const Decode& how) {
  return how.layout || how.matrix || how.range || how.stride != Decode::Stride::kGiven ||
         how.arithmetic != YuvArithmetic::kRounded;
}

bool is_of_pictures(const Decode& how) {
  return how.scale != 1 || how.plain_upsampling || how.fast_dct ||
         how.depth != Decode::Depth::kHighByte || how.alpha != Decode::Alpha::kDropped;
}

Result<Decoded> read_frame(const Source& source, const Decode& how) {
  if (is_of_pictures(how))
    return Error{
        ErrorKind::kUsage,
        "scale, upsampling, dct, depth and alpha are about picture files; this is a camera frame"};
  EP_CHECK(check_frame(*source.frame, source.bytes.size));
  const YuvFrame taken = taken_as(*source.frame, how);
  EP_TRY(const auto planes, planes_of(*source.frame, how));
  if (planes.least > source.bytes.size)
    return Error{ErrorKind::kUsage, "read as " + to_text(taken) +
                                        " the frame would reach to byte " +
                                        std::to_string(planes.least) + "; it has " +
                                        std::to_string(source.bytes.size)};
  EP_TRY(auto image, yuv_to_rgb(source.bytes, taken, planes, how.arithmetic));
  return Decoded{std::move(image), name(source.frame->layout),
                 orientation_of(source.frame->rotation, source.frame->mirrored)};
}

Result<Decoded> read_picture(const Source& source, const Decode& how) {
  if (is_of_frames(how))
    return Error{ErrorKind::kUsage,
                 "layout, matrix, range, stride and arithmetic are about camera frames; this is a "
                 "picture file"};
  return decode_file(source.bytes, how);
}

}  // namespace

YuvFrame taken_as(const YuvFrame& frame, const Decode& how) {
  YuvFrame taken = frame;
  if (how.layout) {
    const bool other_family = has_chroma_pairs(*how.layout) != has_chroma_pairs(frame.layout);
    taken.layout = *how.layout;
    if (other_family) taken.uv_stride = 0;
  }
  if (how.matrix) taken.matrix = *how.matrix;
  if (how.range) taken.range = *how.range;
  if (how.stride != Decode::Stride::kGiven) taken.stride = taken.uv_stride = 0;
  return taken;
}

Result<YuvPlanes> planes_of(const YuvFrame& frame, const Decode& how) {
  auto planes = planes_of(taken_as(frame, how));
  if (!planes || how.stride != Decode::Stride::kIgnoredInPlanes) return planes;
  Decode strides_kept = how;
  strides_kept.stride = Decode::Stride::kGiven;
  const auto given = planes_of(taken_as(frame, strides_kept));
  if (!given) return given;
  const std::size_t last = std::max(planes->u, planes->v);
  planes->y = given->y;
  planes->u = given->u;
  planes->v = given->v;
  const std::size_t moved = std::max(given->u, given->v) - last;
  planes->least += moved;
  planes->whole += moved;
  return planes;
}

bool is_padded(const YuvFrame& frame) {
  YuvFrame tight = frame;
  tight.stride = tight.uv_stride = 0;
  return frame.luma_stride() != tight.luma_stride() ||
         frame.chroma_stride() != tight.chroma_stride();
}

bool fits(const Source& source, const Decode& how) {
  if (!source.frame || !check_frame(*source.frame, source.bytes.size)) return false;
  const auto planes = planes_of(*source.frame, how);
  return planes && planes->least <= source.bytes.size;
}

Result<Decoded> read(const Source& source, const Decode& how) {
  auto decoded = source.frame ? read_frame(source, how) : read_picture(source, how);
  if (decoded && how.oriented) {
    decoded->image = oriented(decoded->image, decoded->exif_orientation);
    decoded->exif_orientation = 1;
  }
  return decoded;
}

int orientation_of(int rotation, bool mirrored) {
  switch (rotation) {
    case 90: return mirrored ? 7 : 6;
    case 180: return mirrored ? 4 : 3;
    case 270: return mirrored ? 5 : 8;
    default: return mirrored ? 2 : 1;
  }
}

Image oriented(const Image& image, int orientation) {
  if (orientation <= 1 || orientation > 8) return image;
  // First swap left and right for 2, 4, 5 and 7; then rotate clockwise.
  const bool mirrored =
      orientation == 2 || orientation == 4 || orientation == 5 || orientation == 7;
  const int turn = orientation == 6 || orientation == 7   ? 90
                   : orientation == 3 || orientation == 4 ? 180
                   : orientation == 2                     ? 0
                                                          : 270;
  const bool lies = turn == 90 || turn == 270;
  Image out{
      lies ? image.width : image.height, lies ? image.height : image.width, image.channels, {}};
  out.pixels.resize(image.pixels.size());
  const std::size_t channels = std::size_t(image.channels);
  std::uint8_t* to = out.pixels.data();
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      int row = y, column = x;
      if (turn == 90) {
        row = image.height - 1 - x;
        column = y;
      }
      if (turn == 180) {
        row = image.height - 1 - y;
        column = image.width - 1 - x;
      }
      if (turn == 270) {
        row = x;
        column = image.width - 1 - y;
      }
      if (mirrored) column = image.width - 1 - column;
      const std::uint8_t* from =
          image.pixels.data() +
          (std::size_t(row) * std::size_t(image.width) + std::size_t(column)) * channels;
      for (std::size_t c = 0; c < channels; ++c) *to++ = from[c];
    }
  }
  return out;
}

}  // namespace edgeprobe::preprocess
