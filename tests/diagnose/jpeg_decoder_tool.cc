// SPDX-License-Identifier: Apache-2.0
// jpeg_decoder_tool IN.jpg OUT.ppm ifast|plain|both: another decoder's habits, by libjpeg's own
// switches: the fast integer DCT, and chroma repeated instead of interpolated.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <jpeglib.h>

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const std::string how = arguments[3];
  std::FILE* in = std::fopen(arguments[1], "rb");
  std::FILE* out = std::fopen(arguments[2], "wb");
  if (!in || !out) return 1;
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&jpeg);
  jpeg_stdio_src(&jpeg, in);
  jpeg_read_header(&jpeg, TRUE);
  jpeg.out_color_space = JCS_RGB;
  jpeg.dct_method = how == "plain" ? JDCT_ISLOW : JDCT_IFAST;
  jpeg.do_fancy_upsampling = how == "ifast" ? TRUE : FALSE;
  jpeg_start_decompress(&jpeg);
  std::fprintf(out, "P6\n%u %u\n255\n", jpeg.output_width, jpeg.output_height);
  std::vector<unsigned char> line(std::size_t(jpeg.output_width) * 3);
  unsigned char* row = line.data();
  while (jpeg.output_scanline < jpeg.output_height) {
    jpeg_read_scanlines(&jpeg, &row, 1);
    std::fwrite(line.data(), 1, line.size(), out);
  }
  jpeg_finish_decompress(&jpeg);
  jpeg_destroy_decompress(&jpeg);
  std::fclose(in);
  std::fclose(out);
  return 0;
}
