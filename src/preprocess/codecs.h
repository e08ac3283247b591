#pragma once

#include <string>

#include "core/bytes.h"
#include "core/result.h"
#include "preprocess/image.h"

/// The decoders behind decode(); each is given a file whose header names its format.
namespace edgeprobe::preprocess {

Result<ImageHeader> read_jpeg_header(ByteView file);
Result<ImageHeader> read_png_header(ByteView file);
Result<ImageHeader> read_bmp_header(ByteView file);

/// libjpeg's default integer DCT and smooth chroma upsampling: what Pillow and OpenCV give.
Result<Decoded> decode_jpeg(ByteView file);
/// Palettes are expanded, 16-bit samples keep their high byte, alpha is dropped, gamma is ignored.
Result<Decoded> decode_png(ByteView file);
/// Uncompressed 8-bit palette, 24-bit and 32-bit (alpha dropped).
Result<Decoded> decode_bmp(ByteView file);

/// The orientation (1..8) of the TIFF block behind "Exif\0\0"; 1 when there is none or it is damaged.
int exif_orientation(ByteView tiff);

/// Whether an image of this size may be decoded; kLimit says why not, kCorrupt for an empty one.
Status check_size(std::int64_t height, std::int64_t width);

/// Unsigned integers at `offset`; the caller has checked the range.
std::uint32_t little16(ByteView bytes, std::size_t offset);
std::uint32_t little32(ByteView bytes, std::size_t offset);
std::uint32_t big16(ByteView bytes, std::size_t offset);
std::uint32_t big32(ByteView bytes, std::size_t offset);

}  // namespace edgeprobe::preprocess
