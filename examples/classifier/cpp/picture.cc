// SPDX-License-Identifier: Apache-2.0
#include "picture.h"

#include <csetjmp>
#include <cstdio>
#include <memory>

#include <jpeglib.h>
#include <png.h>

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::optional<Picture> load_png(const std::string& path) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&image, path.c_str())) return std::nullopt;
  image.format = PNG_FORMAT_RGB;
  Picture picture{static_cast<int>(image.height), static_cast<int>(image.width), {}};
  picture.rgb.resize(PNG_IMAGE_SIZE(image));
  if (!png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr)) return std::nullopt;
  return picture;
}

struct JpegErrors {
  jpeg_error_mgr manager;
  std::jmp_buf back;
};

void jpeg_failed(j_common_ptr info) {
  std::longjmp(reinterpret_cast<JpegErrors*>(info->err)->back, 1);
}

// Separate from load_jpeg(), so that longjmp() skips no destructor.
bool decode_jpeg(std::FILE* file, Picture& picture) {
  jpeg_decompress_struct info;
  JpegErrors errors;
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = jpeg_failed;
  if (setjmp(errors.back)) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  jpeg_create_decompress(&info);
  jpeg_stdio_src(&info, file);
  jpeg_read_header(&info, TRUE);
  info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&info);
  picture.height = static_cast<int>(info.output_height);
  picture.width = static_cast<int>(info.output_width);
  picture.rgb.resize(std::size_t{info.output_height} * info.output_width * 3);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = picture.rgb.data() + std::size_t{info.output_scanline} * info.output_width * 3;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return true;
}

std::optional<Picture> load_jpeg(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rb"), &std::fclose);
  Picture picture;
  if (!file || !decode_jpeg(file.get(), picture)) return std::nullopt;
  return picture;
}

}  // namespace

std::optional<Picture> load_picture(const std::string& path) {
  const bool png = path.size() > 4 && path.compare(path.size() - 4, 4, ".png") == 0;
  return png ? load_png(path) : load_jpeg(path);
}
