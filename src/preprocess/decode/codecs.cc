// SPDX-License-Identifier: Apache-2.0
#include "preprocess/decode/codecs.h"

#include <string>
#include <utility>

namespace edgeprobe::preprocess {

Result<Decoded> decode(ByteView file) { return decode_file(file, {}); }

Result<Decoded> decode_file(ByteView file, const Decode& how) {
  // Read the header first, so that no decoder starts on a size that is refused.
  EP_TRY(auto header, read_header(file));
  if (auto fits = check_size(header.height, header.width); !fits) {
    return std::move(fits).error().during(header.format);
  }
  if (how.scale != 1 && header.format != "jpeg")
    return Error{ErrorKind::kUsage,
                 header.format + ": only a JPEG is decoded at a part of its size (scale=)"};
  auto decoded = header.format == "jpeg"  ? decode_jpeg(file, how)
                 : header.format == "png" ? decode_png(file, how)
                                          : decode_bmp(file);
  if (!decoded) return std::move(decoded).error().during(header.format);
  decoded->format = header.format;
  return decoded;
}

}  // namespace edgeprobe::preprocess
