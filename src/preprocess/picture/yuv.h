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

/// Where the chroma lies behind the luma: in pairs U V (nv12) or V U (nv21), or as two planes U, V
/// (i420) or V, U (yv12).
enum class YuvLayout { kNv12, kNv21, kI420, kYv12 };
enum class YuvMatrix { kBt601, kBt709 };
/// kLimited: luma 16..235, chroma 16..240. kFull: 0..255, as JPEG has it.
enum class YuvRange { kLimited, kFull };
/// Which 8-bit arithmetic makes RGB.
enum class YuvArithmetic {
  kRounded,  ///< The ITU-R formula in real numbers, rounded once, halves away from zero.
  /// cvtColor's: coefficients of three decimals as 20-bit integers; BT.601, limited range only.
  kOpencv,
  /// 10-bit integers and a shift that rounds down, as many Android apps have it; BT.601, limited
  /// only.
  kShift10,
};

const char* name(YuvLayout layout);  ///< "nv12", "nv21", "i420", "yv12".
const char* name(YuvMatrix matrix);  ///< "bt601", "bt709".
const char* name(YuvRange range);    ///< "limited", "full".
std::optional<YuvLayout> yuv_layout_from_name(std::string_view text);
std::optional<YuvMatrix> yuv_matrix_from_name(std::string_view text);
std::optional<YuvRange> yuv_range_from_name(std::string_view text);
/// nv21 for nv12, yv12 for i420, and back.
YuvLayout with_chroma_swapped(YuvLayout layout);
/// Whether U and V stand in pairs (nv12, nv21).
bool has_chroma_pairs(YuvLayout layout);

/// What the bytes of a frame mean; they do not say it themselves.
struct YuvFrame {
  int height = 0, width = 0;
  YuvLayout layout = YuvLayout::kNv12;
  int stride = 0;  ///< Bytes from one row of luma to the next; 0: the width.
  /// The same of chroma; 0: that of luma for pairs, half of it (rounded up) for planes.
  int uv_stride = 0;
  YuvMatrix matrix = YuvMatrix::kBt601;
  YuvRange range = YuvRange::kLimited;
  /// Degrees clockwise that would set the picture upright: 0, 90, 180, 270. Pixels are NOT turned.
  int rotation = 0;
  bool mirrored = false;  ///< A front camera's mirror picture. Pixels are NOT flipped.

  int luma_stride() const { return stride ? stride : width; }
  int chroma_stride() const;
};

/// Where the planes of a frame lie, in bytes.
struct YuvPlanes {
  std::size_t y = 0, u = 0, v = 0;
  std::size_t stride = 0, uv_stride = 0;
  std::size_t uv_step = 1;  ///< From one U to the next: 2 in pairs.
  std::size_t least = 0;    ///< Size up to the last sample.
  std::size_t whole = 0;    ///< Size with the last row padded to its stride.
};
/// kUsage when a size or a stride is none; kLimit beyond kMostPixels. Odd sides have (side + 1) / 2
/// chroma samples.
Result<YuvPlanes> planes_of(const YuvFrame& frame);

/// Success when `size` bytes are this frame; else kCorrupt says how many were expected, and what
/// would fit.
Status check_frame(const YuvFrame& frame, std::size_t size);

/// The frame as RGB. Each chroma sample counts for its 2x2 pixels (no smoothing between them).
/// `planes` says where to read, `bytes` must reach to planes.least. kUsage for an arithmetic that
/// does not exist with this matrix and range.
Result<Image> yuv_to_rgb(ByteView bytes, const YuvFrame& frame, const YuvPlanes& planes,
                         YuvArithmetic arithmetic = YuvArithmetic::kRounded);
/// The same of a whole frame, checked first.
Result<Image> decode_yuv(ByteView bytes, const YuvFrame& frame);

/// "640x480 nv12, rows of 704 bytes, bt709, full range": width x height, as cameras say it.
std::string to_text(const YuvFrame& frame);

}  // namespace edgeprobe::preprocess
