// SPDX-License-Identifier: Apache-2.0
#include "preprocess/picture/yuv.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace edgeprobe::preprocess {
namespace {

// Cameras align rows to at most a few kilobytes; a larger stride is a mistyped number.
constexpr int kMostStride = 1 << 20;

constexpr std::array<const char*, 4> kLayoutNames{"nv12", "nv21", "i420", "yv12"};
constexpr std::array<const char*, 2> kMatrixNames{"bt601", "bt709"};
constexpr std::array<const char*, 2> kRangeNames{"limited", "full"};

template <class T, std::size_t N>
std::optional<T> from_name(const std::array<const char*, N>& names, std::string_view text) {
  for (std::size_t i = 0; i < N; ++i)
    if (text == names[i]) return static_cast<T>(i);
  return std::nullopt;
}

struct Chroma {
  int u = 0, v = 0;
};

std::uint8_t saturated(int value) { return static_cast<std::uint8_t>(std::clamp(value, 0, 255)); }

/// R'G'B' of the ITU-R formula: Y' = Kr R + Kg G + Kb B, Cb = (B - Y') / (2 - 2 Kb), Cr = (R - Y')
/// / (2 - 2 Kr).
class Rounded {
 public:
  Rounded(YuvMatrix matrix, YuvRange range) {
    const double red = matrix == YuvMatrix::kBt601 ? 0.299 : 0.2126;
    const double blue = matrix == YuvMatrix::kBt601 ? 0.114 : 0.0722;
    const double green = 1 - red - blue;
    const bool limited = range == YuvRange::kLimited;
    black_ = limited ? 16 : 0;
    luma_ = limited ? 255.0 / 219 : 1;
    const double chroma = limited ? 255.0 / 224 : 1;
    v_to_red_ = 2 * (1 - red) * chroma;
    u_to_blue_ = 2 * (1 - blue) * chroma;
    v_to_green_ = -v_to_red_ * red / green;
    u_to_green_ = -u_to_blue_ * blue / green;
  }
  void operator()(int y, Chroma c, std::uint8_t* rgb) const {
    const double light = luma_ * (y - black_), u = c.u - 128, v = c.v - 128;
    rgb[0] = whole(light + v_to_red_ * v);
    rgb[1] = whole(light + v_to_green_ * v + u_to_green_ * u);
    rgb[2] = whole(light + u_to_blue_ * u);
  }

 private:
  static std::uint8_t whole(double value) {
    return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0) + 0.5);
  }
  int black_ = 0;
  double luma_ = 1, v_to_red_ = 0, v_to_green_ = 0, u_to_green_ = 0, u_to_blue_ = 0;
};

/// The rounded decimals of BT.601 (1.164, 1.596, 0.813, 0.391, 2.018) as integers with `bits`
/// fractional bits.
class FixedPoint {
 public:
  FixedPoint(int bits, bool rounds)
      : bits_(bits),
        half_(rounds ? 1 << (bits - 1) : 0),
        luma_(scaled(1.164)),
        v_to_red_(scaled(1.596)),
        v_to_green_(scaled(0.813)),
        u_to_green_(scaled(0.391)),
        u_to_blue_(scaled(2.018)) {}
  void operator()(int y, Chroma c, std::uint8_t* rgb) const {
    const int light = std::max(y - 16, 0) * luma_ + half_, u = c.u - 128, v = c.v - 128;
    // Right shifts of negative numbers round down; such results saturate to 0 anyway.
    rgb[0] = saturated((light + v_to_red_ * v) >> bits_);
    rgb[1] = saturated((light - v_to_green_ * v - u_to_green_ * u) >> bits_);
    rgb[2] = saturated((light + u_to_blue_ * u) >> bits_);
  }

 private:
  int scaled(double value) const { return static_cast<int>(std::lround(value * (1 << bits_))); }
  int bits_, half_, luma_, v_to_red_, v_to_green_, u_to_green_, u_to_blue_;
};

template <class Convert>
Image convert(ByteView bytes, const YuvFrame& frame, const YuvPlanes& planes,
              const Convert& to_rgb) {
  Image image{frame.height, frame.width, 3, {}};
  image.pixels.resize(std::size_t(frame.height) * std::size_t(frame.width) * 3);
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data);
  std::uint8_t* out = image.pixels.data();
  for (std::size_t row = 0; row < std::size_t(frame.height); ++row) {
    const std::uint8_t* y = data + planes.y + row * planes.stride;
    const std::uint8_t* u = data + planes.u + row / 2 * planes.uv_stride;
    const std::uint8_t* v = data + planes.v + row / 2 * planes.uv_stride;
    for (std::size_t x = 0; x < std::size_t(frame.width); ++x, out += 3) {
      const std::size_t pair = x / 2 * planes.uv_step;
      to_rgb(y[x], {u[pair], v[pair]}, out);
    }
  }
  return image;
}

Error mismatch(const YuvFrame& frame, const YuvPlanes& planes, std::size_t size) {
  std::string what = to_text(frame) + " takes " + std::to_string(planes.whole) +
                     " bytes, but there are " + std::to_string(size);
  const std::size_t rows = std::size_t(frame.height) + (std::size_t(frame.height) + 1) / 2;
  const std::size_t stride = size / rows;
  if (size > planes.whole && size % planes.whole == 0) {
    what += ": as many as " + std::to_string(size / planes.whole) + " frames; a file holds one";
  } else if (size % rows == 0 && stride >= std::size_t(frame.width) && stride <= kMostStride) {
    what += "; they would be rows of " + std::to_string(stride) + " bytes (a stride of " +
            std::to_string(stride) + ")";
  }
  return {ErrorKind::kCorrupt, std::move(what)};
}

}  // namespace

const char* name(YuvLayout layout) { return kLayoutNames[static_cast<std::size_t>(layout)]; }
const char* name(YuvMatrix matrix) { return kMatrixNames[static_cast<std::size_t>(matrix)]; }
const char* name(YuvRange range) { return kRangeNames[static_cast<std::size_t>(range)]; }
std::optional<YuvLayout> yuv_layout_from_name(std::string_view text) {
  return from_name<YuvLayout>(kLayoutNames, text);
}
std::optional<YuvMatrix> yuv_matrix_from_name(std::string_view text) {
  return from_name<YuvMatrix>(kMatrixNames, text);
}
std::optional<YuvRange> yuv_range_from_name(std::string_view text) {
  return from_name<YuvRange>(kRangeNames, text);
}

YuvLayout with_chroma_swapped(YuvLayout layout) {
  switch (layout) {
    case YuvLayout::kNv12: return YuvLayout::kNv21;
    case YuvLayout::kNv21: return YuvLayout::kNv12;
    case YuvLayout::kI420: return YuvLayout::kYv12;
    case YuvLayout::kYv12: return YuvLayout::kI420;
  }
  return layout;
}

bool has_chroma_pairs(YuvLayout layout) {
  return layout == YuvLayout::kNv12 || layout == YuvLayout::kNv21;
}

int YuvFrame::chroma_stride() const {
  if (uv_stride) return uv_stride;
  // With an odd width, pairs take one byte more than a tight row of luma.
  return has_chroma_pairs(layout) ? luma_stride() + (luma_stride() == width ? width % 2 : 0)
                                  : (luma_stride() + 1) / 2;
}

Result<YuvPlanes> planes_of(const YuvFrame& frame) {
  if (frame.height <= 0 || frame.width <= 0)
    return Error{ErrorKind::kUsage, "a frame of " + std::to_string(frame.width) + "x" +
                                        std::to_string(frame.height) + " pixels (width x height)"};
  EP_CHECK(check_size(frame.height, frame.width));
  const bool pairs = has_chroma_pairs(frame.layout);
  const std::size_t columns = (std::size_t(frame.width) + 1) / 2,
                    rows = (std::size_t(frame.height) + 1) / 2;
  const std::size_t chroma_row = pairs ? 2 * columns : columns;
  if (frame.stride < 0 || frame.stride > kMostStride || frame.luma_stride() < frame.width)
    return Error{ErrorKind::kUsage, "a stride of " + std::to_string(frame.stride) +
                                        " bytes for rows of " + std::to_string(frame.width) +
                                        " pixels"};
  if (frame.uv_stride < 0 || frame.uv_stride > kMostStride ||
      std::size_t(frame.chroma_stride()) < chroma_row)
    return Error{ErrorKind::kUsage, "a chroma stride of " + std::to_string(frame.chroma_stride()) +
                                        " bytes for rows of " + std::to_string(chroma_row) +
                                        " bytes"};
  YuvPlanes planes;
  planes.stride = std::size_t(frame.luma_stride());
  planes.uv_stride = std::size_t(frame.chroma_stride());
  planes.uv_step = pairs ? 2 : 1;
  const std::size_t first = planes.stride * std::size_t(frame.height);
  const std::size_t second = pairs ? first + 1 : first + planes.uv_stride * rows;
  const bool u_first = frame.layout == YuvLayout::kNv12 || frame.layout == YuvLayout::kI420;
  planes.u = u_first ? first : second;
  planes.v = u_first ? second : first;
  const std::size_t last = pairs ? first : second;
  planes.least = last + planes.uv_stride * (rows - 1) + chroma_row;
  planes.whole = last + planes.uv_stride * rows;
  return planes;
}

Status check_frame(const YuvFrame& frame, std::size_t size) {
  EP_TRY(const auto planes, planes_of(frame));
  if (size < planes.least || size > planes.whole) return mismatch(frame, planes, size);
  return {};
}

Result<Image> yuv_to_rgb(ByteView bytes, const YuvFrame& frame, const YuvPlanes& planes,
                         YuvArithmetic arithmetic) {
  if (bytes.size < planes.least)
    return Error{ErrorKind::kCorrupt, to_text(frame) + " reaches to byte " +
                                          std::to_string(planes.least) + ", but there are " +
                                          std::to_string(bytes.size)};
  if (arithmetic == YuvArithmetic::kRounded)
    return convert(bytes, frame, planes, Rounded(frame.matrix, frame.range));
  if (frame.matrix != YuvMatrix::kBt601 || frame.range != YuvRange::kLimited)
    return Error{ErrorKind::kUsage,
                 "this arithmetic exists for bt601 in limited range only; the frame is read as " +
                     std::string(name(frame.matrix)) + ", " + name(frame.range) + " range"};
  if (arithmetic == YuvArithmetic::kOpencv)
    return convert(bytes, frame, planes, FixedPoint(20, true));
  return convert(bytes, frame, planes, FixedPoint(10, false));
}

Result<Image> decode_yuv(ByteView bytes, const YuvFrame& frame) {
  EP_CHECK(check_frame(frame, bytes.size));
  return yuv_to_rgb(bytes, frame, *planes_of(frame));
}

std::string to_text(const YuvFrame& frame) {
  std::string text =
      std::to_string(frame.width) + "x" + std::to_string(frame.height) + " " + name(frame.layout);
  if (frame.luma_stride() != frame.width)
    text += ", rows of " + std::to_string(frame.stride) + " bytes";
  if (frame.uv_stride) text += ", chroma rows of " + std::to_string(frame.uv_stride) + " bytes";
  text += std::string(", ") + name(frame.matrix) + ", " + name(frame.range) + " range";
  if (frame.rotation) text += ", to be turned by " + std::to_string(frame.rotation);
  if (frame.mirrored) text += ", mirrored";
  return text;
}

}  // namespace edgeprobe::preprocess
