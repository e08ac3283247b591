// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "preprocess/decode/codecs.h"
#include "preprocess/decode/source.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::preprocess {
namespace {

void add(std::vector<Reading>& readings, std::string kind, std::string detail, const Decode& how,
         bool can_be_fault = true) {
  readings.push_back({std::move(kind), std::move(detail), to_text(Step{how}), how, can_be_fault});
}

template <class T>
Decode with(T Decode::*option, const T& value) {
  Decode how;
  how.*option = value;
  return how;
}

void add_layouts(const YuvFrame& frame, std::vector<Reading>& readings) {
  const std::string now = name(frame.layout);
  const YuvLayout swapped = with_chroma_swapped(frame.layout);
  const auto taken_for = [&](YuvLayout other) {
    return "the app takes the camera's " + now + " for " + name(other);
  };
  add(readings, "chroma_order", taken_for(swapped) + ": U and V are swapped",
      with(&Decode::layout, std::optional(swapped)));
  const bool pairs = has_chroma_pairs(frame.layout);
  const auto others = pairs ? std::array{YuvLayout::kI420, YuvLayout::kYv12}
                            : std::array{YuvLayout::kNv12, YuvLayout::kNv21};
  for (const YuvLayout other : others)
    add(readings, "chroma_layout",
        taken_for(other) + ": chroma in " +
            (pairs ? "planes instead of pairs" : "pairs instead of planes"),
        with(&Decode::layout, std::optional(other)));
}

void add_colours(const YuvFrame& frame, std::vector<Reading>& readings) {
  const bool is_601 = frame.matrix == YuvMatrix::kBt601,
             limited = frame.range == YuvRange::kLimited;
  add(readings, "yuv_matrix",
      is_601 ? "the app converts YUV by BT.709; the camera's frames are BT.601"
             : "the app converts YUV by BT.601; the camera's frames are BT.709",
      with(&Decode::matrix, std::optional(is_601 ? YuvMatrix::kBt709 : YuvMatrix::kBt601)));
  add(readings, "yuv_range",
      limited ? "the app takes the camera's limited range (16..235) for full: blacks are gray and "
                "contrast is low"
              : "the app takes the camera's full range for limited (16..235): shadows and lights "
                "are cut off",
      with(&Decode::range, std::optional(limited ? YuvRange::kFull : YuvRange::kLimited)));
  if (!is_601 || !limited) return;
  add(readings, "yuv_arithmetic", "the app converts YUV in 20-bit integers, as OpenCV does",
      with(&Decode::arithmetic, YuvArithmetic::kOpencv), false);
  add(readings, "yuv_arithmetic", "the app converts YUV in 10-bit integers that are rounded down",
      with(&Decode::arithmetic, YuvArithmetic::kShift10), false);
}

void add_strides(const YuvFrame& frame, std::vector<Reading>& readings) {
  if (!is_padded(frame)) return;
  const std::string rows = "the app ignores that the camera's rows take " +
                           std::to_string(frame.luma_stride()) + " bytes for " +
                           std::to_string(frame.width) + " pixels";
  add(readings, "row_stride", rows + ": the picture is sheared and its colours come from elsewhere",
      with(&Decode::stride, Decode::Stride::kIgnored));
  add(readings, "row_stride", rows + ", in each plane by itself: the picture is sheared",
      with(&Decode::stride, Decode::Stride::kIgnoredInPlanes));
}

std::vector<Reading> of_frame(const Source& source) {
  const YuvFrame& frame = *source.frame;
  std::vector<Reading> readings;
  add_layouts(frame, readings);
  add_colours(frame, readings);
  add_strides(frame, readings);
  if (orientation_of(frame.rotation, frame.mirrored) != 1)
    add(readings, "stored_orientation",
        "the app turns the frame as the camera says (" + to_text(frame) + ")",
        with(&Decode::oriented, true));
  std::erase_if(readings, [&](const Reading& reading) { return !fits(source, reading.how); });
  return readings;
}

std::vector<Reading> of_jpeg(ByteView file) {
  std::vector<Reading> readings;
  const auto facts = read_jpeg_facts(file);
  if (!facts) return readings;
  const auto side = [](int length, int scale) {
    return std::to_string((length + scale - 1) / scale);
  };
  for (const int scale : {2, 4, 8})
    add(readings, "scaled_decode",
        "the app decodes the JPEG at 1/" + std::to_string(scale) + " of its size (" +
            side(facts->header.height, scale) + "x" + side(facts->header.width, scale) +
            ") before it resizes",
        with(&Decode::scale, scale));
  Decode plain = with(&Decode::plain_upsampling, true), fast = with(&Decode::fast_dct, true),
         both = plain;
  both.fast_dct = true;
  if (facts->subsampled)
    add(readings, "jpeg_decoder", "the app's JPEG decoder does not smooth the chroma", plain,
        false);
  add(readings, "jpeg_decoder", "the app's JPEG decoder uses a fast, inexact transform", fast,
      false);
  if (facts->subsampled)
    add(readings, "jpeg_decoder",
        "the app's JPEG decoder uses a fast, inexact transform and does not smooth the chroma",
        both, false);
  return readings;
}

std::vector<Reading> of_png(const PngFacts& facts) {
  std::vector<Reading> readings;
  if (facts.transparent) {
    add(readings, "alpha",
        "the app blends transparent pixels with black; the reference drops the alpha channel",
        with(&Decode::alpha, Decode::Alpha::kBlack));
    add(readings, "alpha",
        "the app blends transparent pixels with white; the reference drops the alpha channel",
        with(&Decode::alpha, Decode::Alpha::kWhite));
  }
  if (facts.deep)
    add(readings, "png_depth",
        "the app rounds 16-bit samples to 8 bits; the reference keeps the high byte",
        with(&Decode::depth, Decode::Depth::kRounded), false);
  if (facts.deep && facts.gray)
    add(readings, "png_depth",
        "the app cuts 16-bit gray off at 255 (Pillow's convert(\"RGB\")): nearly everything is "
        "white",
        with(&Decode::depth, Decode::Depth::kClipped));
  return readings;
}

}  // namespace

std::vector<Reading> alternative_readings(const Source& source) {
  std::vector<Reading> readings;
  if (source.frame) {
    readings = of_frame(source);
  } else {
    const auto header = read_header(source.bytes);
    if (!header) return readings;
    int orientation = 1;
    if (header->format == "jpeg") {
      readings = of_jpeg(source.bytes);
      orientation = read_jpeg_orientation(source.bytes);
    } else if (header->format == "png") {
      const PngFacts facts = read_png_facts(source.bytes);
      readings = of_png(facts);
      orientation = facts.orientation;
    }
    if (orientation != 1)
      add(readings, "stored_orientation",
          "the app turns the picture by the orientation in its EXIF data (" +
              std::to_string(orientation) + ")",
          with(&Decode::oriented, true));
  }
  std::stable_partition(readings.begin(), readings.end(),
                        [](const Reading& reading) { return reading.can_be_fault; });
  return readings;
}

}  // namespace edgeprobe::preprocess
