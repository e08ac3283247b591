// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <png.h>

#include "preprocess/decode/codecs.h"

namespace edgeprobe::preprocess {
namespace {

struct Reader {
  ByteView file;
  std::size_t at = 0;
  char message[200] = "";
};

void on_read(png_structp png, png_bytep out, png_size_t length) {
  auto& reader = *static_cast<Reader*>(png_get_io_ptr(png));
  if (length > reader.file.size - reader.at) {
    std::snprintf(reader.message, sizeof reader.message,
                  "the file ends at byte %zu where %zu more were expected", reader.file.size,
                  std::size_t(length) - (reader.file.size - reader.at));
    png_error(png, reader.message);
  }
  std::memcpy(out, reader.file.data + reader.at, length);
  reader.at += length;
}

void on_error(png_structp png, png_const_charp message) {
  auto& reader = *static_cast<Reader*>(png_get_error_ptr(png));
  if (message != reader.message) {
    std::snprintf(reader.message, sizeof reader.message, "%s (near byte %zu)", message, reader.at);
  }
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

bool clips(png_structp png, png_infop info, const Decode& how) {
  return how.depth == Decode::Depth::kClipped &&
         png_get_color_type(png, info) == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(png, info) == 16;
}

/// Clips big-endian 16-bit samples at 255.
void clip_16(Image& image) {
  const std::size_t count = image.pixels.size() / 2;
  for (std::size_t i = 0; i < count; ++i)
    image.pixels[i] = image.pixels[2 * i] != 0 ? std::uint8_t{255} : image.pixels[2 * i + 1];
  image.pixels.resize(count);
}

/// Value for each palette entry: its colour, or its index.
enum class Palette { kColours, kNumbers };

void set_transformations(png_structp png, png_infop info, const Decode& how, Palette palette) {
  const int colour = png_get_color_type(png, info);
  if (colour == PNG_COLOR_TYPE_PALETTE && palette == Palette::kNumbers) {
    png_set_packing(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    return;
  }
  if (colour == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (colour == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png);
  if (how.depth == Decode::Depth::kRounded) png_set_scale_16(png);
  else if (!clips(png, info, how)) png_set_strip_16(png);
  if (how.alpha == Decode::Alpha::kDropped) png_set_strip_alpha(png);
  else if (png_get_valid(png, info, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
}

/// Blends with black or white and removes the alpha channel, if there is one.
void blend(Image& image, Decode::Alpha alpha) {
  if (image.channels != 2 && image.channels != 4) return;
  const unsigned ground = alpha == Decode::Alpha::kWhite ? 255 : 0;
  const std::size_t colours = std::size_t(image.channels) - 1,
                    count = image.pixels.size() / (colours + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* from = image.pixels.data() + (colours + 1) * i;
    const unsigned opacity = from[colours];
    std::uint8_t* to = image.pixels.data() + colours * i;
    for (std::size_t c = 0; c < colours; ++c)
      to[c] = std::uint8_t((from[c] * opacity + ground * (255 - opacity) + 127) / 255);
  }
  image.pixels.resize(colours * count);
  image.channels = int(colours);
}

/// Contains every call that can longjmp; `rows` belongs to the caller, so nothing here needs a
/// destructor.
bool read_image(png_structp png, png_infop info, const Decode& how, Palette palette, Image& image,
                std::vector<png_bytep>& rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  // The caller has checked the size; libpng's default limit of a million pixels a side would
  // differ.
  png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
  png_set_chunk_cache_max(png, 128);
  png_set_chunk_malloc_max(png, 8'000'000);
  png_read_info(png, info);
  const bool clipped = clips(png, info, how);
  set_transformations(png, info, how, palette);
  image.height = int(png_get_image_height(png, info));
  image.width = int(png_get_image_width(png, info));
  image.channels = png_get_channels(png, info);
  const std::size_t row_size = png_get_rowbytes(png, info);
  image.pixels.resize(row_size * image.height);
  rows.resize(image.height);
  for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = image.pixels.data() + y * row_size;
  png_read_image(png, rows.data());
  png_read_end(png, nullptr);
  if (clipped) clip_16(image);
  return true;
}

void on_write(png_structp png, png_bytep data, png_size_t length) {
  auto& out = *static_cast<Bytes*>(png_get_io_ptr(png));
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  out.insert(out.end(), bytes, bytes + length);
}

bool write_image(png_structp png, png_infop info, const Image& image) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_IHDR(png, info, png_uint_32(image.width), png_uint_32(image.height), 8,
               image.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  const std::size_t row_size = std::size_t(image.width) * image.channels;
  for (int y = 0; y < image.height; ++y) {
    png_write_row(png, image.pixels.data() + y * row_size);
  }
  png_write_end(png, info);
  return true;
}

}  // namespace

Result<ImageHeader> read_png_header(ByteView file) {
  // Signature 8, then the chunk IHDR: length 4, name 4, width 4, height 4.
  if (file.size < 24 || file.text().substr(12, 4) != "IHDR") {
    return Error{ErrorKind::kCorrupt, "png: no IHDR chunk at byte 8, where the size should be"};
  }
  const std::uint32_t width = big32(file, 16), height = big32(file, 20);
  if (width > 0x7fffffff || height > 0x7fffffff) {
    return Error{ErrorKind::kCorrupt, "png: the IHDR chunk gives " + std::to_string(height) + "x" +
                                          std::to_string(width) + " pixels, past 2^31 - 1 a side"};
  }
  return ImageHeader{"png", int(height), int(width)};
}

PngFacts read_png_facts(ByteView file) {
  // Signature 8, then chunks: length 4, name 4, contents, checksum 4. IHDR: sizes 8, bit depth,
  // colour type.
  PngFacts facts;
  for (std::size_t at = 8; at + 12 <= file.size;) {
    const std::size_t length = big32(file, at);
    const std::string_view chunk = file.text().substr(at + 4, 4);
    if (length > file.size - at - 12 || chunk == "IDAT") break;
    const ByteView contents = file.sub(at + 8, length);
    if (chunk == "IHDR" && length >= 10) {
      facts.deep = std::to_integer<int>(contents.data[8]) == 16;
      facts.gray = std::to_integer<int>(contents.data[9]) == PNG_COLOR_TYPE_GRAY;
      facts.transparent = (std::to_integer<int>(contents.data[9]) & PNG_COLOR_MASK_ALPHA) != 0;
    }
    if (chunk == "tRNS") facts.transparent = true;
    if (chunk == "eXIf") facts.orientation = exif_orientation(contents);
    at += length + 12;
  }
  return facts;
}

namespace {

Result<Decoded> read_png(ByteView file, const Decode& how, Palette palette) {
  Reader reader{file};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, on_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info) {
    png_destroy_read_struct(&png, nullptr, nullptr);
    return Error{ErrorKind::kLimit, "no memory for the decoder"};
  }
  png_set_read_fn(png, &reader, on_read);
  Decoded decoded;
  std::vector<png_bytep> rows;
  const bool done = read_image(png, info, how, palette, decoded.image, rows);
  png_bytep exif = nullptr;
  png_uint_32 exif_size = 0;
  if (done && png_get_eXIf_1(png, info, &exif_size, &exif) != 0 && exif) {
    decoded.exif_orientation =
        exif_orientation({reinterpret_cast<const std::byte*>(exif), exif_size});
  }
  png_destroy_read_struct(&png, &info, nullptr);
  if (!done) return Error{ErrorKind::kCorrupt, reader.message};
  if (how.alpha != Decode::Alpha::kDropped) blend(decoded.image, how.alpha);
  return decoded;
}

}  // namespace

Result<Decoded> decode_png(ByteView file, const Decode& how) {
  return read_png(file, how, Palette::kColours);
}

Result<Image> decode_png_numbers(ByteView file) {
  EP_TRY(const auto header, read_png_header(file));
  EP_CHECK(check_size(header.height, header.width));
  EP_TRY(auto decoded, read_png(file, {}, Palette::kNumbers));
  return std::move(decoded.image);
}

Result<Bytes> encode_png(const Image& image) {
  const std::size_t expected = std::size_t(std::max(image.height, 0)) *
                               std::size_t(std::max(image.width, 0)) *
                               std::size_t(std::max(image.channels, 0));
  if (expected == 0 || (image.channels != 1 && image.channels != 3) ||
      image.pixels.size() != expected) {
    return Error{ErrorKind::kUsage,
                 "a PNG needs 1 or 3 channels and as many pixels as its size says; got " +
                     std::to_string(image.height) + "x" + std::to_string(image.width) + "x" +
                     std::to_string(image.channels)};
  }
  Reader failure{};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &failure, on_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info) {
    png_destroy_write_struct(&png, nullptr);
    return Error{ErrorKind::kLimit, "no memory for the PNG encoder"};
  }
  Bytes out;
  png_set_write_fn(png, &out, on_write, nullptr);
  const bool done = write_image(png, info, image);
  png_destroy_write_struct(&png, &info);
  if (!done) return Error{ErrorKind::kUsage, failure.message};
  return out;
}

}  // namespace edgeprobe::preprocess
