// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/result.h"
#include "probe/logged.h"
#include "trace/record/strided_bytes.h"

namespace edgeprobe::probe {

enum class Pixels { kRgb8, kBgr8, kRgba8, kBgra8, kGray8, kNv12, kNv21, kI420, kYv12 };

/// An image in the application's own layout; edgeprobe_image in edgeprobe.h documents each field.
struct Picture {
  std::string_view name;
  Pixels format = Pixels::kRgb8;
  std::uint32_t width = 0, height = 0, stride = 0, chroma_stride = 0;
  ByteView bytes;
  int rotation = 0;
  bool is_mirrored = false, is_full_range = false, is_bt709 = false;
};

/// A picture as a tensor: rows without padding for RGB and gray, the whole buffer for YUV. It
/// points into itself and into the picture's bytes, so it must not be moved.
class PictureTensor {
 public:
  /// Fails with kUsage, naming the field, if the picture does not fit its bytes.
  Status make(const Picture& picture);
  PictureTensor() = default;
  PictureTensor(const PictureTensor&) = delete;
  PictureTensor& operator=(const PictureTensor&) = delete;

  const Logged& logged() const { return logged_; }
  const trace::StridedBytes& rows() const { return rows_; }

 private:
  Status make_yuv(const Picture& picture, std::uint64_t stride);

  std::array<std::int64_t, 3> shape_{};
  std::array<std::int64_t, 9> traits_{};
  Logged logged_;
  trace::StridedBytes rows_;
};

}  // namespace edgeprobe::probe
