// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/bytes.h"
#include "core/result.h"
#include "preprocess/decode/decode_options.h"
#include "preprocess/decode/image.h"

/// The decoders used by decode(); each gets a file whose header names its format.
namespace edgeprobe::preprocess {

Result<ImageHeader> read_jpeg_header(ByteView file);
Result<ImageHeader> read_png_header(ByteView file);
Result<ImageHeader> read_bmp_header(ByteView file);

/// Decodes any of the three formats; checks the header before a decoder starts.
Result<Decoded> decode_file(ByteView file, const Decode& how);
/// libjpeg's default integer DCT and smooth chroma upsampling, unless `how` states otherwise: same
/// result as Pillow and OpenCV. Four components (CMYK, YCCK) are inverted, as Adobe writes them,
/// and become (255 - C)(255 - K) / 255, rounded.
Result<Decoded> decode_jpeg(ByteView file, const Decode& how);
/// Expands palettes, keeps the high byte of 16-bit samples and drops alpha, unless `how` states
/// otherwise; ignores gamma.
Result<Decoded> decode_png(ByteView file, const Decode& how);
/// Uncompressed 8-bit palette, 24-bit and 32-bit (alpha dropped).
Result<Decoded> decode_bmp(ByteView file);

/// Facts about the pixels from a header, for alternative_readings(); empty if it is damaged.
struct JpegFacts {
  ImageHeader header;
  bool subsampled = false;
};
Result<JpegFacts> read_jpeg_facts(ByteView file);
/// 16 bits a sample; gray without alpha; an alpha channel or a tRNS chunk.
struct PngFacts {
  bool deep = false, gray = false, transparent = false;
  int orientation = 1;
};
PngFacts read_png_facts(ByteView file);
/// Returns the EXIF orientation, read from the segments only; 1 if there is none.
int read_jpeg_orientation(ByteView file);

/// The orientation (1..8) in the TIFF block after "Exif\0\0"; 1 if there is none or it is damaged.
int exif_orientation(ByteView tiff);

/// Unsigned integers at `offset`; the caller has checked the range.
std::uint32_t little16(ByteView bytes, std::size_t offset);
std::uint32_t little32(ByteView bytes, std::size_t offset);
std::uint32_t big16(ByteView bytes, std::size_t offset);
std::uint32_t big32(ByteView bytes, std::size_t offset);

}  // namespace edgeprobe::preprocess
