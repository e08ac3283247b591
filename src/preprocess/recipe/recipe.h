// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "audio/clip.h"
#include "audio/front_end.h"
#include "core/result.h"
#include "core/tensor.h"
#include "preprocess/decode/decode_options.h"
#include "preprocess/decode/image.h"
#include "preprocess/picture/kernels.h"
#include "recipe/limits.h"
#include "recipe/steps.h"
#include "sensor/front_end.h"
#include "sensor/series.h"
#include "text/front_end.h"

namespace edgeprobe::preprocess {

/// The values that a resize returns.
enum class Rounding {
  kFloat,   ///< Real values.
  kUint8,   ///< Rounded to the nearest whole number and saturated, once, at the end.
  kOpencv,  ///< OpenCV's 8-bit arithmetic for this kernel.
  /// Pillow's 8-bit arithmetic: rounded after each of the two passes; their order is version 13's.
  kPillow,
  kPillow12,  ///< As kPillow, with the width always first, as in Pillow up to 12.
};

struct Rotate {
  int degrees = 90;
};  ///< Clockwise: 90, 180 or 270.
struct Flip {
  bool horizontal = true;
};  ///< horizontal: left and right swapped.
/// A part of the image. kFraction keeps round(`fraction` * side) of both sides, centred (offsets
/// rounded down); kSquare keeps round(`fraction` * shorter side) of both; kWindow is given in input
/// pixels. `down` and `right` move a centred window by round(share * its own side), but not beyond
/// the image. kSize keeps `height` x `width` pixels, centred: half of the rest is above and left, a
/// half pixel rounded to even (torchvision) or down.
struct Crop {
  enum class Kind { kFraction, kSquare, kWindow, kSize } kind = Kind::kFraction;
  double fraction = 1;
  int top = 0, left = 0, height = 0, width = 0;
  double down = 0, right = 0;
  enum class Offset { kHalfEven, kFloor } offset = Offset::kHalfEven;
};
/// Shifts all pixels by whole rows and columns; pixels from outside are filled as `edge` states.
struct Shift {
  int down = 0, right = 0;
  enum class Edge { kRepeat, kWrap, kBlack } edge = Edge::kRepeat;
};
/// Resizes to `height` x `width`; or, if `shorter` is not 0, to that length of the shorter side and
/// floor(shorter * long / short) of the longer one, as torchvision's Resize(shorter).
struct Resize {
  int height = 0, width = 0;
  Resampling resampling;
  Rounding rounding = Rounding::kFloat;
  int shorter = 0;
};
/// Rounding of the sides of a scaled picture to whole pixels.
enum class WholeSides { kRound, kFloor, kCeil };
/// Keeps the aspect ratio (each side rounded by `sides`, at least 1; the odd pixel of two bars is
/// below and right, or above and left); the rest is `fill` (0..255), around the image or only below
/// and right of it.
struct Letterbox {
  int height = 0, width = 0;
  Resampling resampling;
  Rounding rounding = Rounding::kFloat;
  double fill = 0;
  bool centered = true;
  bool at_end = false;               ///< Not centred: bars only above and left of the image.
  std::vector<double> channel_fill;  ///< One value for each channel, instead of `fill`.
  WholeSides sides = WholeSides::kRound;
  bool is_odd_first = false;  ///< Centred: the odd pixel is above and left.
};
enum class ChannelOrder { kRgb, kBgr, kRbg, kGrb, kGbr, kBrg };
struct Color {
  ChannelOrder order = ChannelOrder::kRgb;
};  ///< Order of the channels from here on.
/// A curve on pixels, which are clipped to 0..255 first. `gain` and `offset`: one value, or one for
/// each channel. kRgb565 keeps the upper 5, 6 and 5 bits of R, G and B and clears the others;
/// kRgb565Filled repeats the upper bits in them.
struct Tone {
  enum class Curve {
    kGamma,
    kSrgbToLinear,
    kLinearToSrgb,
    kLinear,
    kRgb565,
    kRgb565Filled
  } curve = Curve::kGamma;
  double gamma = 1;                        ///< 255 (x/255)^gamma.
  std::vector<double> gain{1}, offset{0};  ///< kLinear: gain x + offset, clipped to 0..255.
  Rounding rounding = Rounding::kFloat;    ///< kFloat or kUint8.
};
using ColorMatrix = YuvMatrix;
/// Encodes R, G, B to Y, U, V by one convention and decodes it by another, as when a frame is read
/// in the wrong format.
struct Recode {
  ColorMatrix encode = ColorMatrix::kBt601, decode = ColorMatrix::kBt601;
  bool encode_limited = false, decode_limited = false;  ///< Luma 16..235, chroma 16..240.
  bool chroma_swapped = false;                          ///< U and V swapped.
  /// Real numbers; or 8-bit R, G, B, rounded and saturated; or Y, U, V in 8 bits too.
  enum class Round { kFloat, kUint8, kYuv8 } round = Round::kFloat;
};
/// (x - mean) / max(deviation, 1/sqrt(n)) over the n values of the image, or of each channel
/// (TensorFlow's per_image_standardization).
struct Standardize {
  bool by_channel = false;
};
/// ITU-R BT.601 luma (0.299, 0.587, 0.114), in one channel or three equal ones. kOpencv and kPillow
/// are the 8-bit sums of those libraries. `weights`: other weights for R, G and B; only with kFloat
/// and kUint8.
struct Gray {
  bool keep_three = false;
  Rounding rounding = Rounding::kFloat;
  std::vector<double> weights;
};
/// Maps R, G, B to three other channels: `rows` holds three weights for each, `offset` is added
/// (one value, or one for each channel). kFloat or kUint8.
struct Matrix {
  std::vector<double> rows, offset{0};
  Rounding rounding = Rounding::kFloat;
};
struct Scale {
  double low = 0, high = 1;
};  ///< 0..255 is mapped linearly to low..high.
/// (x - mean)/std; one value, or one for each channel.
struct Normalize {
  std::vector<double> mean, std;
};
/// Floats are rounded half away from zero and saturated.
struct Cast {
  DType dtype = DType::kFloat32;
};
/// The actual order of the values in memory.
enum class Memory { kAsDeclared, kNhwc, kNchw, kNhcw, kNwhc };
/// `memory` differs from the declared order only in recipes that describe a fault: the bytes do not
/// match the shape.
struct Layout {
  bool nchw = false;
  Memory memory = Memory::kAsDeclared;
};
/// Converts to the model's integer type: round(x/scale) + zero_point, saturated. Unset parameters
/// come from the model.
struct Quantize {
  std::optional<double> scale;
  std::optional<int> zero_point;
  enum class Round { kHalfAway, kHalfEven, kFloor } round = Round::kHalfAway;
  /// int8 codes passed as uint8, or the reverse: a fault, as above.
  bool sign_flipped = false;
};

/// All processing of a sound; the only step of its recipe, but written as several. A recipe is for
/// pictures, sound, text or sensor readings.
struct Sound {
  audio::FrontEnd front_end;
};
/// All processing of a text.
struct Text {
  text::FrontEnd front_end;
};
/// All processing of sensor readings.
struct Readings {
  sensor::FrontEnd front_end;
};

using Step =
    std::variant<Rotate, Flip, Crop, Resize, Letterbox, Color, Gray, Scale, Normalize, Cast, Layout,
                 Quantize, Shift, Tone, Recode, Standardize, Decode, Matrix, Sound, Text, Readings>;

using recipe::kMostRecipeText;
using recipe::kMostSide;
using recipe::kMostSteps;

/// Pre-processing as data: the steps from the decoded image (uint8, RGB, HWC) to the model input.
/// The image's own order is RGB, so color(rgb) changes nothing and color(bgr) swaps.
struct Recipe {
  std::vector<Step> steps;
  std::string post;  ///< The text after "||" (post-processing), as written.
};

/// Parses "crop(center, 0.875) | resize(224x224, bilinear) | …". kUsage names the step, the column
/// and the nearest known word.
Result<Recipe> parse_recipe(std::string_view text);
/// The canonical text; parse_recipe(to_text(r)) returns r.
std::string to_text(const Step& step);
std::string to_text(const Recipe& recipe);
/// Loads a recipe from the command line: text, or a file (one recipe, '#' comments) if a file of
/// that name exists.
Result<Recipe> load_recipe(std::string_view text_or_path);

/// The default recipe: resize to the model's size (bilinear, half-pixel), RGB, range by dtype
/// (float: 0..1; 8-bit: by its quantisation), layout by the shape. kUsage if the shape is not a
/// single image of known size or the quantisation represents no usual range. `range` replaces 0..1
/// for a float model: the range that the input of its integer twin states.
Result<Recipe> default_recipe(const TensorSpec& model_input,
                              const std::optional<Scale>& range = std::nullopt);
/// The usual range of pixels that an integer input's scale and zero point represent; empty for any
/// other input or range.
std::optional<Scale> stated_range(const TensorSpec& model_input);

/// The decode(…) step at the start of the recipe, if there is one; and the steps after it.
const Decode* decode_step(const Recipe& recipe);
Recipe without_decode(const Recipe& recipe);

/// The front end of a sound recipe; null for other recipes.
const audio::FrontEnd* sound_of(const Recipe& recipe);
Recipe recipe_of(const audio::FrontEnd& front_end);
/// The front end of a text recipe; null for other recipes.
const text::FrontEnd* text_of(const Recipe& recipe);
Recipe recipe_of(const text::FrontEnd& front_end);
/// Converts a recording to a model input. kUsage for a recipe of another kind.
Result<Tensor> apply(const Recipe& recipe, const audio::Clip& clip, const TensorSpec& model_input);

/// The front end of a readings recipe; null for other recipes.
const sensor::FrontEnd* readings_of(const Recipe& recipe);
Recipe recipe_of(const sensor::FrontEnd& front_end);
/// Converts readings to a model input. kUsage for a recipe of another kind.
Result<Tensor> apply(const Recipe& recipe, const sensor::Series& series,
                     const TensorSpec& model_input);

/// Runs the recipe. The tensor has exactly the shape and dtype of `model_input`; if that is
/// impossible, kUsage names the step to change. A recipe that begins with decode(…) needs the
/// recorded bytes: read() them with decode_step() and apply without_decode(). Memory stays below
/// 200 bytes for each pixel of the larger of input and output.
Result<Tensor> apply(const Recipe& recipe, const Image& image, const TensorSpec& model_input);

/// The state after each step, for `recipe explain`. kLimit if all of them exceed kMostExplained
/// bytes in total.
inline constexpr std::size_t kMostExplained = 1'000'000'000;
/// `low` and `high`: values that 0 and 255 were mapped to, for display as a picture (see
/// picture()).
struct Explained {
  std::string step;
  Raster after;
  std::string note;
  double low = 0, high = 255;
};
Result<std::vector<Explained>> explain(const Recipe& recipe, const Image& image,
                                       const TensorSpec& model_input);
/// Maps the values low..high to 0..255, in the model's channel order, so BGR looks like BGR.
Image picture(const Explained& explained);
/// Describes in one sentence what a step does and by which convention.
std::string meaning(const Step& step);
/// Each step as written, with its description. A sound has several.
using recipe::Spelled;
std::vector<Spelled> spelled(const Recipe& recipe);

}  // namespace edgeprobe::preprocess
