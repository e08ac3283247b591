// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "preprocess/recipe/recipe.h"
#include "report/fixes/fixes.h"

// write_fixes: JSON on stdout with a picture and, for each (kind, reference step), the lines of
// code and the recipe's own result for the picture. fixes_test.py runs the lines and compares.
namespace {

using edgeprobe::DType;
using edgeprobe::TensorSpec;

struct Case {
  const char* kind;
  const char* step;
  int height, width, channels;
  DType dtype;
};
constexpr int kHeight = 61, kWidth = 83;
constexpr const char* kImagenet =
    "scale(0..1) | normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])";

constexpr std::array kCases{
    Case{"channel_order", "color(bgr)", kHeight, kWidth, 3, DType::kFloat32},
    Case{"channel_order", "gray(1)", kHeight, kWidth, 1, DType::kFloat32},
    Case{"channel_order", "gray(3)", kHeight, kWidth, 3, DType::kFloat32},
    Case{"value_range", "", kHeight, kWidth, 3, DType::kFloat32},
    Case{"value_range", "scale(0..1)", kHeight, kWidth, 3, DType::kFloat32},
    Case{"value_range", "scale(-1..1)", kHeight, kWidth, 3, DType::kFloat32},
    Case{"value_range", "scale(-0.5..0.5)", kHeight, kWidth, 3, DType::kFloat32},
    Case{"value_range", "normalize(mean=127.5, std=127.5)", kHeight, kWidth, 3, DType::kFloat32},
    Case{"value_range", "normalize(mean=[104, 117, 123], std=1)", kHeight, kWidth, 3,
         DType::kFloat32},
    Case{"value_range", kImagenet, kHeight, kWidth, 3, DType::kFloat32},
    Case{"value_range", "scale(-1..1) | quantize(scale=0.0078125, zero_point=0)", kHeight, kWidth,
         3, DType::kInt8},
    Case{"input_quantization", "scale(0..1) | quantize(scale=0.004, zero_point=-128)", kHeight,
         kWidth, 3, DType::kInt8},
    Case{"input_quantization", "quantize(scale=1.5, zero_point=7, round=floor)", kHeight, kWidth, 3,
         DType::kUInt8},
    Case{"layout", "layout(nchw)", kHeight, kWidth, 3, DType::kFloat32},
    Case{"orientation", "rotate(90)", kWidth, kHeight, 3, DType::kFloat32},
    Case{"orientation", "rotate(180)", kHeight, kWidth, 3, DType::kFloat32},
    Case{"orientation", "rotate(270)", kWidth, kHeight, 3, DType::kFloat32},
    Case{"orientation", "flip(horizontal)", kHeight, kWidth, 3, DType::kFloat32},
    Case{"orientation", "flip(vertical)", kHeight, kWidth, 3, DType::kFloat32},
    Case{"orientation", "rotate(90) | flip(horizontal)", kWidth, kHeight, 3, DType::kFloat32},
    // 61 * .875 = 53.4, 83 * .875 = 72.6
    Case{"crop", "crop(center, 0.875)", 53, 73, 3, DType::kFloat32},
    Case{"crop", "crop(square)", kHeight, kHeight, 3, DType::kFloat32},
    Case{"crop", "crop(square, 0.5)", 31, 31, 3, DType::kFloat32},  // 30.5
    Case{"crop", "crop(3, 5, 40x50)", 40, 50, 3, DType::kFloat32},
    Case{"crop", "crop(square) | resize(32x32, area)", 32, 32, 3, DType::kFloat32},
    // 48x65
    Case{"crop", "resize(short=48, bilinear, like=pillow) | crop(center, 32x32)", 32, 32, 3,
         DType::kFloat32},
    Case{"crop", "resize(short=48, bilinear) | crop(center, 31x40, offset=floor)", 31, 40, 3,
         DType::kFloat32},
    Case{"resize", "resize(short=24, bilinear, antialias=on)", 24, 32, 3, DType::kFloat32},
    Case{"crop", "letterbox(32x48, bilinear, fill=114)", 32, 48, 3, DType::kFloat32},
    Case{"crop", "letterbox(48x32, area, fill=0, place=top_left)", 48, 32, 3, DType::kFloat32},
    Case{"crop", "resize(24x40, bilinear)", 24, 40, 3, DType::kFloat32},
    Case{"resize", "resize(24x40, bilinear)", 24, 40, 3, DType::kFloat32},
    Case{"resize", "resize(24x40, bilinear, antialias=on)", 24, 40, 3, DType::kFloat32},
    Case{"resize", "resize(24x40, area)", 24, 40, 3, DType::kFloat32},
    Case{"resize", "resize(24x40, box)", 24, 40, 3, DType::kFloat32},
    Case{"resize", "resize(24x40, nearest, align=legacy)", 24, 40, 3, DType::kFloat32},
    Case{"resize", "resize(24x40, nearest, align=half_pixel)", 24, 40, 3, DType::kFloat32},
    Case{"resize", "resize(24x40, nearest, grid=fixed16)", 24, 40, 3, DType::kFloat32},
    Case{"resize", "resize(24x40, bicubic)", 24, 40, 3, DType::kFloat32},
    Case{"resize", "resize(24x40, bicubic, antialias=on, a=-0.5)", 24, 40, 3, DType::kFloat32},
    Case{"resize", "resize(24x40, lanczos3, antialias=on)", 24, 40, 3, DType::kFloat32},
    Case{"resize", "resize(24x40, lanczos4)", 24, 40, 3, DType::kFloat32},
    Case{"resize", "resize(24x40, bilinear, align=legacy)", 24, 40, 3, DType::kFloat32},
    Case{"resize", "resize(24x40, bilinear, align=corners)", 24, 40, 3, DType::kFloat32},
};

edgeprobe::preprocess::Image picture() {
  edgeprobe::preprocess::Image image{kHeight, kWidth, 3, {}};
  std::uint32_t state = 7;
  for (int i = 0; i < kHeight * kWidth * 3; ++i) {
    state = state * 1664525u + 1013904223u;
    image.pixels.push_back(static_cast<std::uint8_t>(state >> 24));
  }
  return image;
}

}  // namespace

int main() {
  using namespace edgeprobe;
  const preprocess::Image image = picture();
  nlohmann::json out = {{"height", kHeight},
                        {"width", kWidth},
                        {"pixels", image.pixels},
                        {"cases", nlohmann::json::array()}};
  for (const Case& c : kCases) {
    const auto recipe = preprocess::parse_recipe(*c.step ? c.step : "cast(float32)");
    if (!recipe) return std::fprintf(stderr, "%s: %s\n", c.step, recipe.error().what.c_str()), 1;
    TensorSpec spec{"input", c.dtype, {1, c.height, c.width, c.channels}, {}};
    if (std::string(c.step) == "layout(nchw)") spec.shape = {1, c.channels, c.height, c.width};
    const auto tensor = preprocess::apply(*recipe, image, spec);
    if (!tensor) return std::fprintf(stderr, "%s: %s\n", c.step, tensor.error().what.c_str()), 1;
    const auto values = to_float(*tensor);
    if (!values) return std::fprintf(stderr, "%s: %s\n", c.step, values.error().what.c_str()), 1;
    out["cases"].push_back(
        {{"kind", c.kind},
         {"step", c.step},
         {"shape", spec.shape},
         {"code", report::fix_code(*diagnose::cause_kind_from_name(c.kind), c.step)},
         {"dtype", name(c.dtype)},
         {"values", *values}});
  }
  std::puts(out.dump().c_str());
  return 0;
}
