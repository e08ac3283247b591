// SPDX-License-Identifier: Apache-2.0
// Runs the library for the Python tests, one command a line on stdin:
//   apply IMAGE SHAPE DTYPE OUT RECIPE…        the tensor's bytes; SHAPE like 1,224,224,3
//   raw H W C IN SHAPE DTYPE OUT RECIPE…       the same from raw uint8 pixels
//   float H W C IN OUT STEP                    the resampling of a resize() step on float32 pixels
//   decode IMAGE OUT                           the pixels; answers "format H W C orientation"
//   read IMAGE OUT STEP                        the same, read as a decode(…) step says
//   frame LAYOUT W H STRIDE UV_STRIDE MATRIX RANGE ROTATION MIRRORED BYTES OUT STEP   the same of a
//   camera frame
//   sound FILE SHAPE DTYPE OUT RECIPE…         the tensor's bytes of a recording
// Answers one line each: "ok …" or "error FAULT …".
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#include "audio/decode.h"
#include "core/file.h"
#include "preprocess/decode/source.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::preprocess {
namespace {

Result<Image> raw_image(std::istream& in) {
  Image image;
  std::string path;
  in >> image.height >> image.width >> image.channels >> path;
  auto bytes = read_file(path);
  if (!bytes) return std::move(bytes).error();
  image.pixels.resize(bytes->size());
  std::memcpy(image.pixels.data(), bytes->data(), bytes->size());
  return image;
}

Result<std::string> run_recipe(std::istream& in, const Image& image) {
  std::string shape, dtype, out, recipe_text;
  in >> shape >> dtype >> out;
  std::getline(in, recipe_text);
  auto recipe = parse_recipe(recipe_text);
  if (!recipe) return std::move(recipe).error();
  TensorSpec spec{"input", *dtype_from_name(dtype), *shape_from_list(shape), {}};
  auto tensor = apply(*recipe, image, spec);
  if (!tensor) return std::move(tensor).error();
  if (auto written = write_file(out, tensor->bytes); !written) return std::move(written).error();
  return edgeprobe::to_text(tensor->spec.shape);
}

Result<std::string> run_sound(std::istream& in) {
  std::string path, shape, dtype, out, recipe_text;
  in >> path >> shape >> dtype >> out;
  std::getline(in, recipe_text);
  auto bytes = read_file(path);
  if (!bytes) return std::move(bytes).error();
  auto clip = audio::decode(*bytes, path);
  if (!clip) return std::move(clip).error();
  auto recipe = parse_recipe(recipe_text);
  if (!recipe) return std::move(recipe).error();
  TensorSpec spec{"input", *dtype_from_name(dtype), *shape_from_list(shape), {}};
  auto tensor = apply(*recipe, *clip, spec);
  if (!tensor) return std::move(tensor).error();
  if (auto written = write_file(out, tensor->bytes); !written) return std::move(written).error();
  return edgeprobe::to_text(tensor->spec.shape);
}

Result<std::string> run_float(std::istream& in) {
  Raster raster;
  std::string path, out, step_text;
  in >> raster.height >> raster.width >> raster.channels >> path >> out;
  std::getline(in, step_text);
  auto recipe = parse_recipe(step_text);
  if (!recipe) return std::move(recipe).error();
  auto bytes = read_file(path);
  if (!bytes) return std::move(bytes).error();
  raster.values.resize(bytes->size() / sizeof(float));
  std::memcpy(raster.values.data(), bytes->data(), bytes->size());
  const auto& step = std::get<Resize>(recipe->steps.at(0));
  const Resizer axes =
      resizer(step.resampling, raster.height, raster.width, step.height, step.width);
  const Raster made = resample(raster, axes.rows, axes.columns);
  const ByteView view(reinterpret_cast<const std::byte*>(made.values.data()),
                      made.values.size() * sizeof(float));
  if (auto written = write_file(out, view); !written) return std::move(written).error();
  return std::string("float");
}

// Writes the pixels into the file `out`; returns their description as the answer.
Result<std::string> written(Result<Decoded> decoded, const std::string& out) {
  if (!decoded) return std::move(decoded).error();
  const Image& image = decoded->image;
  const ByteView view(reinterpret_cast<const std::byte*>(image.pixels.data()), image.pixels.size());
  if (auto written = write_file(out, view); !written) return std::move(written).error();
  std::ostringstream answer;
  answer << decoded->format << ' ' << image.height << ' ' << image.width << ' ' << image.channels
         << ' ' << decoded->exif_orientation;
  return answer.str();
}

Result<std::string> run_decode(std::istream& in) {
  std::string path, out;
  in >> path >> out;
  auto bytes = read_file(path);
  if (!bytes) return std::move(bytes).error();
  return written(decode(*bytes), out);
}

Result<std::string> read_and_write(const Source& source, const std::string& out,
                                   const std::string& step_text) {
  auto recipe = parse_recipe(step_text);
  if (!recipe) return std::move(recipe).error();
  return written(read(source, std::get<Decode>(recipe->steps.at(0))), out);
}

Result<std::string> run_read(std::istream& in) {
  std::string path, out, step;
  in >> path >> out;
  std::getline(in, step);
  auto bytes = read_file(path);
  if (!bytes) return std::move(bytes).error();
  return read_and_write({*bytes, std::nullopt}, out, step);
}

Result<std::string> run_frame(std::istream& in) {
  YuvFrame frame;
  std::string layout, matrix, range, path, out, step;
  in >> layout >> frame.width >> frame.height >> frame.stride >> frame.uv_stride >> matrix >>
      range >> frame.rotation >> frame.mirrored >> path >> out;
  std::getline(in, step);
  frame.layout = *yuv_layout_from_name(layout);
  frame.matrix = *yuv_matrix_from_name(matrix);
  frame.range = *yuv_range_from_name(range);
  auto bytes = read_file(path);
  if (!bytes) return std::move(bytes).error();
  return read_and_write({*bytes, frame}, out, step);
}

Result<std::string> run_line(const std::string& line) {
  std::istringstream in(line);
  std::string command;
  in >> command;
  if (command == "decode") return run_decode(in);
  if (command == "read") return run_read(in);
  if (command == "frame") return run_frame(in);
  if (command == "float") return run_float(in);
  if (command == "sound") return run_sound(in);
  if (command == "raw") {
    auto image = raw_image(in);
    if (!image) return std::move(image).error();
    return run_recipe(in, *image);
  }
  std::string path;
  in >> path;
  auto bytes = read_file(path);
  if (!bytes) return std::move(bytes).error();
  auto decoded = decode(*bytes);
  if (!decoded) return std::move(decoded).error();
  return run_recipe(in, decoded->image);
}

}  // namespace
}  // namespace edgeprobe::preprocess

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto answer = edgeprobe::preprocess::run_line(line);
    if (answer) std::cout << "ok " << *answer << std::endl;
    else
      std::cout << "error " << name(answer.error().kind) << ' ' << answer.error().what << std::endl;
  }
}
