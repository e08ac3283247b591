// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "contract/mutate/catalogue.h"
#include "core/text.h"

namespace edgeprobe::contract {
namespace {

using namespace preprocess;

/// Collects changes of one recipe; skips changes without effect and duplicates.
class Faults {
 public:
  explicit Faults(const Recipe& recipe) : recipe_(recipe) { seen_.insert(to_text(recipe)); }

  const std::vector<Step>& steps() const { return recipe_.steps; }
  /// Index of the first step of this type; nothing if there is none.
  template <class T>
  std::optional<std::size_t> find() const {
    for (std::size_t i = 0; i < steps().size(); ++i)
      if (std::holds_alternative<T>(steps()[i])) return i;
    return std::nullopt;
  }
  /// After the steps that move pixels or change colours, before those that produce values.
  std::size_t end_of_picture() const {
    const auto makes_values = [](const Step& step) {
      return std::holds_alternative<Scale>(step) || std::holds_alternative<Normalize>(step) ||
             std::holds_alternative<Cast>(step) || std::holds_alternative<Layout>(step) ||
             std::holds_alternative<Quantize>(step) || std::holds_alternative<Standardize>(step);
    };
    return static_cast<std::size_t>(std::find_if(steps().begin(), steps().end(), makes_values) -
                                    steps().begin());
  }
  /// At the beginning, but after decode(…).
  std::size_t begin_of_picture() const { return find<Decode>() ? *find<Decode>() + 1 : 0; }

  void add(const char* kind, std::string what, Recipe changed) {
    if (seen_.insert(to_text(changed)).second)
      all.push_back({kind, std::move(what), std::move(changed), {}});
  }
  void replace(const char* kind, const std::string& what, std::size_t at, const Step& step) {
    Recipe changed = recipe_;
    changed.steps[at] = step;
    add(kind, what, std::move(changed));
  }
  void remove(const char* kind, const std::string& what, std::size_t at) {
    Recipe changed = recipe_;
    changed.steps.erase(changed.steps.begin() + static_cast<std::ptrdiff_t>(at));
    add(kind, what, std::move(changed));
  }
  void insert(const char* kind, const std::string& what, std::size_t at, const Step& step) {
    Recipe changed = recipe_;
    changed.steps.insert(changed.steps.begin() + static_cast<std::ptrdiff_t>(at), step);
    add(kind, what, std::move(changed));
  }

  std::vector<Mutation> all;

 private:
  const Recipe& recipe_;
  std::set<std::string> seen_;
};

void colors(Faults& faults) {
  if (const auto gray = faults.find<Gray>()) {
    Gray equal = std::get<Gray>(faults.steps()[*gray]);
    equal.rounding = Rounding::kFloat;
    equal.weights = {1.0 / 3, 1.0 / 3, 1.0 / 3};
    faults.replace("color_conversion", "gray as the mean of R, G and B", *gray, equal);
    return;
  }
  const auto color = faults.find<Color>();
  const bool is_bgr = color && std::get<Color>(faults.steps()[*color]).order == ChannelOrder::kBgr;
  const Color other{is_bgr ? ChannelOrder::kRgb : ChannelOrder::kBgr};
  const std::string what = is_bgr ? "RGB for BGR" : "BGR for RGB";
  if (color) faults.replace("channel_order", what, *color, other);
  else faults.insert("channel_order", what, faults.end_of_picture(), other);
  faults.insert("color_conversion", "a gray picture in three channels", faults.end_of_picture(),
                Gray{true, Rounding::kFloat, {}});
  Recode camera;
  camera.decode = ColorMatrix::kBt709;
  faults.insert("color_conversion", "BT.601 decoded as BT.709", faults.begin_of_picture(), camera);
  Recode swapped;
  swapped.chroma_swapped = true;
  faults.insert("color_conversion", "U taken for V", faults.begin_of_picture(), swapped);
}

void tones(Faults& faults) {
  Tone gamma;
  gamma.gamma = 2.2;
  faults.insert("tone", "gamma 2.2", faults.begin_of_picture(), gamma);
  Tone coarse;
  coarse.curve = Tone::Curve::kRgb565;
  faults.insert("tone", "pixels of 16 bits (RGB565)", faults.begin_of_picture(), coarse);
}

void values(Faults& faults, const TensorSpec& input) {
  const auto scale = faults.find<Scale>();
  if (scale)
    for (const auto& [low, high] :
         {std::pair{0.0, 1.0}, {-1.0, 1.0}, {0.0, 255.0}, {-128.0, 127.0}})
      faults.replace("value_range", "values in " + number(low) + ".." + number(high), *scale,
                     Scale{low, high});
  if (const auto normalize = faults.find<Normalize>()) {
    const Normalize& right = std::get<Normalize>(faults.steps()[*normalize]);
    faults.remove("value_range", "mean and standard deviation forgotten", *normalize);
    faults.replace("value_range", "not divided by the standard deviation", *normalize,
                   Normalize{right.mean, {1}});
    Normalize reversed = right;
    std::reverse(reversed.mean.begin(), reversed.mean.end());
    std::reverse(reversed.std.begin(), reversed.std.end());
    faults.replace("value_range", "mean and standard deviation in the order of the other colours",
                   *normalize, reversed);
    if (scale)
      faults.remove("value_range", "mean and standard deviation of 0..1 on 0..255", *scale);
  } else if (scale && is_float(input.dtype) && !input.shape.empty()) {
    faults.insert("value_range", "ImageNet's mean and standard deviation", *scale + 1,
                  Normalize{{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}});
  }
  if (const auto standardize = faults.find<Standardize>())
    faults.remove("value_range", "standardised no more", *standardize);
  if (const auto quantize = faults.find<Quantize>()) {
    Quantize wrong = std::get<Quantize>(faults.steps()[*quantize]);
    wrong.sign_flipped = true;
    faults.replace("input_quantization", "int8 codes passed as uint8", *quantize, wrong);
    wrong.sign_flipped = false;
    wrong.round = Quantize::Round::kFloor;
    faults.replace("input_quantization", "codes cut off, not rounded", *quantize, wrong);
    if (input.quantization.scale.size() != 1) return;
    wrong = std::get<Quantize>(faults.steps()[*quantize]);
    wrong.scale = 2.0 * input.quantization.scale[0];
    wrong.zero_point = static_cast<int>(input.quantization.zero_point_at(0));
    faults.replace("input_quantization", "twice the scale", *quantize, wrong);
  }
}

void sizes(Faults& faults) {
  if (const auto at = faults.find<Resize>()) {
    const Resize& right = std::get<Resize>(faults.steps()[*at]);
    const auto kernel = [&](const std::string& what, Kernel one, bool antialias, Align align) {
      Resize wrong = right;
      wrong.resampling.kernel = one;
      wrong.resampling.antialias = antialias;
      wrong.resampling.align = align;
      faults.replace("resize", what, *at, wrong);
    };
    kernel("nearest neighbour", Kernel::kNearest, false, Align::kHalfPixel);
    kernel("bilinear without antialias", Kernel::kBilinear, false, Align::kHalfPixel);
    kernel("bilinear with antialias", Kernel::kBilinear, true, Align::kHalfPixel);
    kernel("bilinear with aligned corners", Kernel::kBilinear, false, Align::kCorners);
    kernel("area", Kernel::kArea, false, Align::kHalfPixel);
    kernel("bicubic", Kernel::kBicubic, false, Align::kHalfPixel);
    if (right.shorter == 0) {
      Letterbox bars;
      bars.height = right.height;
      bars.width = right.width;
      bars.resampling = right.resampling;
      bars.rounding = right.rounding;
      faults.replace("crop", "letterbox: bars in place of stretching", *at, bars);
    }
  }
  if (const auto at = faults.find<Letterbox>()) {
    const Letterbox& right = std::get<Letterbox>(faults.steps()[*at]);
    faults.replace("crop", "stretched in place of bars", *at,
                   Resize{right.height, right.width, right.resampling, right.rounding, 0});
    Letterbox moved = right;
    moved.centered = !right.centered;
    faults.replace("crop",
                   right.centered ? "bars only below and on the right" : "bars on both sides", *at,
                   moved);
    Letterbox filled = right;
    filled.channel_fill = {};
    filled.fill = right.fill == 0 ? 114 : 0;
    faults.replace("crop", "bars of another colour", *at, filled);
  }
  if (const auto at = faults.find<Crop>()) faults.remove("crop", "not cropped", *at);
  else
    faults.insert("crop", "only the middle 87.5 %", faults.begin_of_picture(),
                  Crop{Crop::Kind::kFraction, 0.875});
  faults.insert("crop", "moved by 3 pixels", faults.end_of_picture(), Shift{3, 3});
}

void orientations(Faults& faults) {
  const std::size_t begin = faults.begin_of_picture();
  for (const int degrees : {90, 180, 270})
    faults.insert("orientation", "turned by " + std::to_string(degrees) + " degrees", begin,
                  Rotate{degrees});
  faults.insert("orientation", "left and right exchanged", begin, Flip{true});
  faults.insert("orientation", "upside down", begin, Flip{false});
}

void layouts(Faults& faults) {
  const auto at = faults.find<Layout>();
  if (!at) return;
  Layout wrong = std::get<Layout>(faults.steps()[*at]);
  wrong.memory = wrong.nchw ? Memory::kNhwc : Memory::kNchw;
  faults.replace("layout",
                 wrong.nchw ? "pixels in the order HWC for CHW" : "pixels in the order CHW for HWC",
                 *at, wrong);
}

}  // namespace

std::vector<Mutation> picture_faults(const Recipe& recipe, const TensorSpec& input) {
  Faults faults(recipe);
  colors(faults);
  values(faults, input);
  sizes(faults);
  orientations(faults);
  layouts(faults);
  tones(faults);
  return std::move(faults.all);
}

}  // namespace edgeprobe::contract
