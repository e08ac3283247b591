// SPDX-License-Identifier: Apache-2.0
#include <csetjmp>
#include <cstdio>
#include <string_view>

#include <jpeglib.h>
// jerror.h names the warnings; it must come after jpeglib.h.
#include <jerror.h>

#include "preprocess/decode/codecs.h"

namespace edgeprobe::preprocess {
namespace {

constexpr std::string_view kExif{"Exif\0\0", 6};
// Each scan of a progressive file visits the whole image, even if it holds few bytes.
constexpr int kMostScans = 100;
constexpr std::int64_t kMostScannedPixels = 2'000'000'000;

struct Failure {
  jpeg_error_mgr manager;
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
  bool failed;
  ErrorKind kind;
};

Failure& failure_of(j_common_ptr jpeg) { return *reinterpret_cast<Failure*>(jpeg->err); }

/// Valid files that the decoder does not support: 12 bits, lossless, hierarchical, unknown
/// conversions.
bool is_unsupported(int code) {
  return code == JERR_BAD_PRECISION || code == JERR_SOF_UNSUPPORTED ||
         code == JERR_CONVERSION_NOTIMPL || code == JERR_ARITH_NOTIMPL ||
         code == JERR_FRACT_SAMPLE_NOTIMPL || code == JERR_CCIR601_NOTIMPL;
}

[[noreturn]] void fail(j_common_ptr jpeg) {
  Failure& failure = failure_of(jpeg);
  if (is_unsupported(jpeg->err->msg_code)) failure.kind = ErrorKind::kUnsupported;
  failure.manager.format_message(jpeg, failure.message);
  failure.failed = true;
  std::longjmp(failure.jump, 1);
}

/// Warnings that do not affect any pixel.
bool harmless(int code) {
  return code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR;
}

void on_message(j_common_ptr jpeg, int level) {
  // libjpeg continues after damage and returns gray or smeared blocks; reject that.
  if (level < 0 && !harmless(jpeg->err->msg_code)) fail(jpeg);
}

void on_output(j_common_ptr) {}

void on_progress(j_common_ptr jpeg) {
  const auto* decompress = reinterpret_cast<j_decompress_ptr>(jpeg);
  const std::int64_t pixels = std::int64_t(decompress->image_width) * decompress->image_height;
  const int scans = decompress->input_scan_number;
  if (scans <= kMostScans && scans * pixels <= kMostScannedPixels) return;
  Failure& failure = failure_of(jpeg);
  std::snprintf(
      failure.message, sizeof failure.message,
      "scan %d of a %ux%u progressive image; at most %d scans and %lld pixels in all scans", scans,
      decompress->image_height, decompress->image_width, kMostScans,
      static_cast<long long>(kMostScannedPixels));
  failure.failed = true;
  failure.kind = ErrorKind::kLimit;
  std::longjmp(failure.jump, 1);
}

int orientation_of(const jpeg_decompress_struct& jpeg) {
  for (jpeg_saved_marker_ptr marker = jpeg.marker_list; marker; marker = marker->next) {
    const ByteView data(reinterpret_cast<const std::byte*>(marker->data), marker->data_length);
    if (data.text().substr(0, kExif.size()) != kExif) continue;
    return exif_orientation(data.sub(kExif.size(), data.size - kExif.size()));
  }
  return 1;
}

/// Adobe writes inverted CMYK: libjpeg returns 255 - ink.
void cmyk_to_rgb(Image& image) {
  const std::size_t count = image.pixels.size() / 4;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* from = image.pixels.data() + 4 * i;
    const unsigned light = from[3];
    std::uint8_t* to = image.pixels.data() + 3 * i;
    for (std::size_t c = 0; c < 3; ++c) to[c] = std::uint8_t((from[c] * light + 127) / 255);
  }
  image.pixels.resize(3 * count);
  image.channels = 3;
}

/// Contains every call that can longjmp; owns nothing with a destructor.
void decompress_into(jpeg_decompress_struct& jpeg, Failure& failure, ByteView file,
                     const Decode& how, Decoded& decoded) {
  jpeg_progress_mgr progress{};
  if (setjmp(failure.jump) != 0) return;
  jpeg_create_decompress(&jpeg);
  progress.progress_monitor = on_progress;
  jpeg.progress = &progress;
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(file.data), file.size);
  jpeg_save_markers(&jpeg, JPEG_APP0 + 1, 0xFFFF);
  jpeg_read_header(&jpeg, TRUE);
  const bool four = jpeg.num_components == 4;
  if (jpeg.num_components != 1 && jpeg.num_components != 3 && !four) {
    std::snprintf(failure.message, sizeof failure.message,
                  "%d colour components; gray (1), colour (3) and CMYK (4) are decoded",
                  jpeg.num_components);
    failure.failed = true;
    failure.kind = ErrorKind::kUnsupported;
    return;
  }
  jpeg.out_color_space = jpeg.num_components == 1 ? JCS_GRAYSCALE : four ? JCS_CMYK : JCS_RGB;
  jpeg.scale_num = 1;
  jpeg.scale_denom = unsigned(how.scale);
  jpeg.do_fancy_upsampling = how.plain_upsampling ? FALSE : TRUE;
  jpeg.dct_method = how.fast_dct ? JDCT_IFAST : JDCT_ISLOW;
  decoded.exif_orientation = orientation_of(jpeg);
  jpeg_start_decompress(&jpeg);

  Image& image = decoded.image;
  image.height = int(jpeg.output_height);
  image.width = int(jpeg.output_width);
  image.channels = jpeg.output_components;
  const std::size_t row_size = std::size_t(image.width) * image.channels;
  image.pixels.resize(row_size * image.height);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = image.pixels.data() + row_size * jpeg.output_scanline;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_decompress(&jpeg);
  if (four) cmyk_to_rgb(image);
}

}  // namespace

Result<Decoded> decode_jpeg(ByteView file, const Decode& how) {
  Failure failure{};
  failure.kind = ErrorKind::kCorrupt;
  jpeg_decompress_struct jpeg{};
  jpeg.err = jpeg_std_error(&failure.manager);
  failure.manager.error_exit = fail;
  failure.manager.emit_message = on_message;
  failure.manager.output_message = on_output;
  Decoded decoded;
  decompress_into(jpeg, failure, file, how, decoded);
  jpeg_destroy_decompress(&jpeg);
  if (failure.failed) return Error{failure.kind, failure.message};
  return decoded;
}

}  // namespace edgeprobe::preprocess
