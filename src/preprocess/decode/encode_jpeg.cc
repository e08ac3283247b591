// SPDX-License-Identifier: Apache-2.0
#include "preprocess/decode/encode_jpeg.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>

namespace edgeprobe::preprocess {
namespace {

struct EncoderFailure {
  jpeg_error_mgr manager;
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void stop_encoding(j_common_ptr jpeg) {
  auto& failure = *reinterpret_cast<EncoderFailure*>(jpeg->err);
  failure.manager.format_message(jpeg, failure.message);
  std::longjmp(failure.jump, 1);
}

/// Contains every call that can longjmp, and owns nothing with a destructor.
bool compress_into(jpeg_compress_struct& jpeg, EncoderFailure& failure, const Image& image,
                   int quality, unsigned char*& out, unsigned long& size) {
  if (setjmp(failure.jump) != 0) return false;
  jpeg_create_compress(&jpeg);
  jpeg_mem_dest(&jpeg, &out, &size);
  jpeg.image_width = JDIMENSION(image.width);
  jpeg.image_height = JDIMENSION(image.height);
  jpeg.input_components = image.channels;
  jpeg.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, std::clamp(quality, 1, 100), TRUE);
  jpeg.optimize_coding = TRUE;
  jpeg_start_compress(&jpeg, TRUE);
  const std::size_t row_size = std::size_t(image.width) * std::size_t(image.channels);
  while (jpeg.next_scanline < jpeg.image_height) {
    // libjpeg reads rows through a pointer that is not const.
    auto* row = const_cast<JSAMPROW>(image.pixels.data() + row_size * jpeg.next_scanline);
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  return true;
}

}  // namespace

Result<Bytes> encode_jpeg(const Image& image, int quality) {
  const std::size_t expected = std::size_t(std::max(image.height, 0)) *
                               std::size_t(std::max(image.width, 0)) *
                               std::size_t(std::max(image.channels, 0));
  if (expected == 0 || (image.channels != 1 && image.channels != 3) ||
      image.pixels.size() != expected)
    return Error{ErrorKind::kUsage,
                 "a JPEG needs 1 or 3 channels and as many pixels as its size says; got " +
                     std::to_string(image.height) + "x" + std::to_string(image.width) + "x" +
                     std::to_string(image.channels)};
  EncoderFailure failure{};
  jpeg_compress_struct jpeg{};
  jpeg.err = jpeg_std_error(&failure.manager);
  failure.manager.error_exit = stop_encoding;
  unsigned char* data = nullptr;
  unsigned long size = 0;
  const bool done = compress_into(jpeg, failure, image, quality, data, size);
  jpeg_destroy_compress(&jpeg);
  Bytes out;
  if (done)
    out.assign(reinterpret_cast<std::byte*>(data), reinterpret_cast<std::byte*>(data) + size);
  std::free(data);
  if (!done) return Error{ErrorKind::kUsage, std::string("jpeg: ") + failure.message};
  return out;
}

}  // namespace edgeprobe::preprocess
