// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/bytes.h"
#include "core/result.h"
#include "preprocess/decode/image.h"

/// Camera frames: 8-bit YUV with one pair of chroma samples for each 2x2 pixels (4:2:0).
namespace edgeprobe::preprocess {

/// Position of the chroma after the luma: in pairs U V (nv12) or V U (nv21), or as two planes U, V
/// (i420) or V, U (yv12).
enum class YuvLayout { kNv12, kNv21, kI420, kYv12 };
enum class YuvMatrix { kBt601, kBt709 };
/// kLimited: luma 16..235, chroma 16..240. kFull: 0..255, as in JPEG.
enum class YuvRange { kLimited, kFull };
/// The 8-bit arithmetic that converts to RGB.
enum class YuvArithmetic {
  kRounded,  ///< The ITU-R formula in real numbers, rounded once, halves away from zero.
  /// As in cvtColor: three-decimal coefficients as 20-bit integers; BT.601, limited range only.
  kOpencv,
  /// 10-bit integers and a shift that rounds down, as in many Android apps; BT.601, limited range
  /// only.
  kShift10,
};

const char* name(YuvLayout layout);  ///< "nv12", "nv21", "i420", "yv12".
const char* name(YuvMatrix matrix);  ///< "bt601", "bt709".
const char* name(YuvRange range);    ///< "limited", "full".
std::optional<YuvLayout> yuv_layout_from_name(std::string_view text);
std::optional<YuvMatrix> yuv_matrix_from_name(std::string_view text);
std::optional<YuvRange> yuv_range_from_name(std::string_view text);
/// Swaps nv12 with nv21, and i420 with yv12.
YuvLayout with_chroma_swapped(YuvLayout layout);
/// True if U and V are interleaved in pairs (nv12, nv21).
bool has_chroma_pairs(YuvLayout layout);

/// Format of a camera frame; the bytes do not contain it.
struct YuvFrame {
  int height = 0, width = 0;
  YuvLayout layout = YuvLayout::kNv12;
  int stride = 0;  ///< Bytes from one row of luma to the next; 0: the width.
  /// Bytes from one row of chroma to the next; 0: that of luma for pairs, half of it (rounded up)
  /// for planes.
  int uv_stride = 0;
  YuvMatrix matrix = YuvMatrix::kBt601;
  YuvRange range = YuvRange::kLimited;
  /// Clockwise rotation in degrees that would turn the picture upright: 0, 90, 180, 270. Pixels are
  /// NOT rotated.
  int rotation = 0;
  bool mirrored = false;  ///< A front camera's mirrored picture. Pixels are NOT flipped.

  int luma_stride() const { return stride ? stride : width; }
  int chroma_stride() const;
};

/// Byte offsets of the planes of a frame.
struct YuvPlanes {
  std::size_t y = 0, u = 0, v = 0;
  std::size_t stride = 0, uv_stride = 0;
  std::size_t uv_step = 1;  ///< From one U to the next: 2 in pairs.
  std::size_t least = 0;    ///< Size up to the last sample.
  std::size_t whole = 0;    ///< Size with the last row padded to its stride.
};
/// kUsage for an invalid size or stride; kLimit beyond kMostPixels. Odd sides have (side + 1) / 2
/// chroma samples.
Result<YuvPlanes> planes_of(const YuvFrame& frame);

/// Success if this frame takes `size` bytes; if not, kCorrupt states the expected size, and a
/// description that would fit.
Status check_frame(const YuvFrame& frame, std::size_t size);

/// Converts the frame to RGB. Each chroma sample applies to its 2x2 pixels (no smoothing between
/// them). `planes` gives the offsets; `bytes` must reach to planes.least. kUsage for an arithmetic
/// that does not exist with this matrix and range.
Result<Image> yuv_to_rgb(ByteView bytes, const YuvFrame& frame, const YuvPlanes& planes,
                         YuvArithmetic arithmetic = YuvArithmetic::kRounded);
/// yuv_to_rgb() for a complete frame, which is checked first.
Result<Image> decode_yuv(ByteView bytes, const YuvFrame& frame);

/// For example "640x480 nv12, rows of 704 bytes, bt709, full range": width x height, as is usual
/// for cameras.
std::string to_text(const YuvFrame& frame);

}  // namespace edgeprobe::preprocess
