// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/text.h"
#include "preprocess/picture/resize.h"
#include "preprocess/recipe/recipe.h"
#include "preprocess/recipe/recipe_arguments.h"
#include "preprocess/recipe/recipe_decode.h"
#include "preprocess/recipe/recipe_of_text.h"
#include "preprocess/recipe/recipe_readings.h"
#include "preprocess/recipe/recipe_scanner.h"
#include "preprocess/recipe/recipe_sound.h"
#include "preprocess/recipe/recipe_words.h"

namespace edgeprobe::preprocess {
namespace {

// Products of 64 steps with these bounds stay far from the end of float's range only for sane
// recipes; apply() checks each result. The bounds keep single steps meaningful.
constexpr double kLargest = 1e9;
constexpr double kSmallestDivisor = 1e-9;

/// What a library's name stands for with this kernel; explicit arguments are read after it.
Status apply_library(const Arguments& arguments, std::size_t at, Library library, Resampling& r,
                     Rounding& rounding) {
  const auto refuse = [&](std::string_view who, std::string_view kernels) {
    return arguments.error(
        at, std::string(who) + " has no such kernel; it has " + std::string(kernels));
  };
  const Kernel k = r.kernel;
  const bool nearest = k == Kernel::kNearest;
  switch (library) {
    case Library::kOpencv:
      if (k == Kernel::kBox || k == Kernel::kLanczos3) {
        return refuse("opencv", "nearest, bilinear, area, bicubic and lanczos4");
      }
      if (nearest) r.align = Align::kLegacy;
      else rounding = Rounding::kOpencv;
      return {};
    case Library::kPillow:
      if (k == Kernel::kArea || k == Kernel::kLanczos4) {
        return refuse("pillow", "nearest, bilinear, box, bicubic and lanczos3");
      }
      r.cubic_a = k == Kernel::kBicubic ? -0.5 : r.cubic_a;
      if (!nearest) {
        r.antialias = true;
        rounding = Rounding::kPillow;
      }
      return {};
    case Library::kTensorflow:
      if (k == Kernel::kBox || k == Kernel::kLanczos4) {
        return refuse("tensorflow", "nearest, bilinear, area, bicubic and lanczos3");
      }
      r.cubic_a = k == Kernel::kBicubic ? -0.5 : r.cubic_a;
      if (nearest) r.grid = Grid::kFloat32;
      if (k == Kernel::kBicubic || k == Kernel::kLanczos3) r.edge = Edge::kDrop;
      return {};
  }
  return {};
}

bool takes_align(Kernel kernel) { return kernel != Kernel::kArea && kernel != Kernel::kBox; }
bool takes_antialias(Kernel kernel) { return takes_align(kernel) && kernel != Kernel::kNearest; }

/// The kernel and its options, of resize and letterbox.
Status read_resampling(Arguments& arguments, Resampling& r, Rounding& rounding) {
  if (const auto kernel = arguments.next()) {
    auto word = arguments.word(*kernel, kKernelWords);
    if (!word) return std::move(word).error();
    r.kernel = *word;
  }
  r.antialias = r.kernel == Kernel::kBox;
  if (const auto like = arguments.take("like")) {
    auto library = arguments.word(*like, kLibraryWords);
    if (!library) return std::move(library).error();
    if (auto done = apply_library(arguments, like->at, *library, r, rounding); !done) return done;
  }
  if (takes_antialias(r.kernel)) {
    if (auto done = arguments.assign("antialias", kSwitchWords, r.antialias); !done) return done;
  }
  if (takes_align(r.kernel)) {
    if (auto done = arguments.assign("align", kAlignWords, r.align); !done) return done;
  }
  if (r.kernel == Kernel::kBicubic) {
    if (const auto a = arguments.take("a")) {
      auto value = arguments.real(*a, -4.0, 0.0);
      if (!value) return std::move(value).error();
      r.cubic_a = *value;
    }
  }
  if (r.kernel == Kernel::kNearest) {
    if (auto done = arguments.assign("grid", kGridWords, r.grid); !done) return done;
  }
  if (takes_antialias(r.kernel) && !r.antialias) {
    if (auto done = arguments.assign("edge", kEdgeWords, r.edge); !done) return done;
  }
  if (r.antialias) r.edge = Edge::kReplicate;
  if (auto done = arguments.assign("round", kRoundingWords, rounding); !done) return done;
  if (r.antialias && r.align != Align::kHalfPixel) {
    return arguments.error(arguments.at(), "antialias=on exists with align=half_pixel only");
  }
  if (r.grid == Grid::kFixed16 && r.align != Align::kHalfPixel) {
    return arguments.error(arguments.at(), "grid=fixed16 exists with align=half_pixel only");
  }
  if (auto fits = check_rounding(r, rounding); !fits)
    return arguments.error(arguments.at(), fits.error().what);
  return {};
}

Result<Step> read_resize(Arguments& arguments) {
  Resize step;
  if (const auto shorter = arguments.take("short")) {
    auto side = arguments.whole(*shorter, 1, kMostSide);
    if (!side) return std::move(side).error();
    step.shorter = *side;
  } else {
    auto argument = arguments.require("a size like 224x224, or short=256");
    if (!argument) return std::move(argument).error();
    auto size = arguments.size(*argument);
    if (!size) return std::move(size).error();
    step.height = size->height;
    step.width = size->width;
  }
  if (auto done = read_resampling(arguments, step.resampling, step.rounding); !done) {
    return std::move(done).error();
  }
  return Step{step};
}

Result<Step> read_letterbox(Arguments& arguments) {
  Letterbox step;
  auto argument = arguments.require("a size like 224x224");
  if (!argument) return std::move(argument).error();
  auto size = arguments.size(*argument);
  if (!size) return std::move(size).error();
  step.height = size->height;
  step.width = size->width;
  if (auto done = read_resampling(arguments, step.resampling, step.rounding); !done) {
    return std::move(done).error();
  }
  if (const auto fill = arguments.take("fill")) {
    auto values = arguments.list(*fill, 0, 255);
    if (!values) return std::move(values).error();
    if (values->size() == 1) step.fill = values->front();
    else step.channel_fill = *std::move(values);
  }
  Place place = Place::kCenter;
  if (auto done = arguments.assign("place", kPlaceWords, place); !done)
    return std::move(done).error();
  step.centered = place == Place::kCenter;
  step.at_end = place == Place::kBottomRight;
  return Step{step};
}

Result<Step> read_crop(Arguments& arguments) {
  Crop step;
  auto first = arguments.require("center, square, or top, left, HEIGHTxWIDTH");
  if (!first) return std::move(first).error();
  if (first->value == "center" || first->value == "square") {
    step.kind = first->value == "center" ? Crop::Kind::kFraction : Crop::Kind::kSquare;
    if (const auto share = arguments.next()) {
      if (step.kind == Crop::Kind::kFraction && share->value.find('x') != std::string_view::npos) {
        auto size = arguments.size(*share);
        if (!size) return std::move(size).error();
        step.kind = Crop::Kind::kSize;
        step.height = size->height;
        step.width = size->width;
        if (auto done = arguments.assign("offset", kOffsetWords, step.offset); !done)
          return std::move(done).error();
        return Step{step};
      }
      auto fraction = arguments.real(*share, 1e-4, 1.0);
      if (!fraction) return std::move(fraction).error();
      step.fraction = *fraction;
    } else if (step.kind == Crop::Kind::kFraction) {
      return arguments.error(first->at,
                             "crop(center, …) needs a fraction like 0.875 or a size like 224x224");
    }
    for (const bool down : {true, false}) {
      const auto share = arguments.take(down ? "down" : "right");
      if (!share) continue;
      auto value = arguments.real(*share, -1e4, 1e4);
      if (!value) return std::move(value).error();
      (down ? step.down : step.right) = *value;
    }
    return Step{step};
  }
  step.kind = Crop::Kind::kWindow;
  const char digit = first->value.front();
  if (digit < '0' || digit > '9') return arguments.unknown(*first, {"center", "square"});
  auto top = arguments.whole(*first, 0, 1 << 20);
  if (!top) return std::move(top).error();
  auto second = arguments.require("top, left, HEIGHTxWIDTH");
  if (!second) return std::move(second).error();
  auto left = arguments.whole(*second, 0, 1 << 20);
  if (!left) return std::move(left).error();
  auto third = arguments.require("top, left, HEIGHTxWIDTH");
  if (!third) return std::move(third).error();
  auto size = arguments.size(*third);
  if (!size) return std::move(size).error();
  step.top = *top;
  step.left = *left;
  step.height = size->height;
  step.width = size->width;
  return Step{step};
}

/// Steps with one word in brackets.
template <class T, class U, std::size_t N>
Result<Step> read_word(Arguments& arguments, std::string_view what,
                       const std::array<Word<U>, N>& words) {
  auto argument = arguments.require(what);
  if (!argument) return std::move(argument).error();
  auto value = arguments.word(*argument, words);
  if (!value) return std::move(value).error();
  return Step{T{*value}};
}

Result<Step> read_gray(Arguments& arguments) {
  Gray step;
  if (const auto channels = arguments.next()) {
    auto keep =
        arguments.word(*channels, std::array{Word<bool>{"1", false}, Word<bool>{"3", true}});
    if (!keep) return std::move(keep).error();
    step.keep_three = *keep;
  }
  if (const auto weights = arguments.take("weights")) {
    auto values = arguments.list(*weights, -kLargest, kLargest);
    if (!values) return std::move(values).error();
    if (values->size() != 3)
      return arguments.error(weights->at, "weights= takes one value each for R, G and B");
    step.weights = *std::move(values);
  }
  if (auto done = arguments.assign("round", kRoundingWords, step.rounding); !done)
    return std::move(done).error();
  if (!step.weights.empty() && is_library(step.rounding)) {
    return arguments.error(
        arguments.at(),
        "a library's 8-bit sums have its own weights: leave weights= or round= out");
  }
  return Step{step};
}

Result<Step> read_shift(Arguments& arguments) {
  Shift step;
  for (int* side : {&step.down, &step.right}) {
    auto argument = arguments.require("rows down and columns right, like shift(1, 0)");
    if (!argument) return std::move(argument).error();
    auto value = arguments.whole(*argument, -kMostSide, kMostSide);
    if (!value) return std::move(value).error();
    *side = *value;
  }
  if (auto done = arguments.assign("edge", kShiftEdgeWords, step.edge); !done)
    return std::move(done).error();
  return Step{step};
}

Result<Step> read_tone(Arguments& arguments) {
  Tone step;
  const auto gain = arguments.take("gain"), offset = arguments.take("offset"),
             gamma = arguments.take("gamma");
  const auto curve = arguments.next();
  if (int(gain || offset) + int(bool(gamma)) + int(bool(curve)) != 1) {
    return arguments.error(arguments.at(),
                           "tone needs one of gamma=, gain= and offset=, srgb_to_linear, "
                           "linear_to_srgb, rgb565, rgb565_filled");
  }
  if (gamma) {
    auto value = arguments.real(*gamma, 0.01, 100);
    if (!value) return std::move(value).error();
    step.gamma = *value;
  } else if (curve) {
    auto word = arguments.word(*curve, kCurveWords);
    if (!word) return std::move(word).error();
    step.curve = *word;
  } else {
    step.curve = Tone::Curve::kLinear;
    for (const auto& [argument, values] :
         {std::pair{gain, &step.gain}, std::pair{offset, &step.offset}}) {
      if (!argument) continue;
      auto list = arguments.list(*argument, -kLargest, kLargest);
      if (!list) return std::move(list).error();
      *values = *std::move(list);
    }
  }
  if (auto done = arguments.assign("round", kWholeWords, step.rounding); !done)
    return std::move(done).error();
  return Step{step};
}

Result<Step> read_recode(Arguments& arguments) {
  Recode step;
  for (ColorMatrix* matrix : {&step.encode, &step.decode}) {
    auto argument =
        arguments.require("two of bt601 and bt709: what encoded the picture and what decodes it");
    if (!argument) return std::move(argument).error();
    auto word = arguments.word(*argument, kMatrixWords);
    if (!word) return std::move(word).error();
    *matrix = *word;
  }
  if (auto done = arguments.assign("encode", kLevelsWords, step.encode_limited); !done)
    return std::move(done).error();
  if (auto done = arguments.assign("decode", kLevelsWords, step.decode_limited); !done)
    return std::move(done).error();
  if (auto done = arguments.assign("chroma", kChromaWords, step.chroma_swapped); !done)
    return std::move(done).error();
  if (auto done = arguments.assign("round", kRecodeRoundWords, step.round); !done)
    return std::move(done).error();
  return Step{step};
}

Result<Step> read_matrix(Arguments& arguments) {
  Matrix step;
  auto argument = arguments.require("nine numbers: three weights of R, G and B for each channel");
  if (!argument) return std::move(argument).error();
  auto rows = arguments.list(*argument, -kLargest, kLargest);
  if (!rows) return std::move(rows).error();
  if (rows->size() != 9)
    return arguments.error(argument->at,
                           "matrix needs nine numbers, three for each channel; these are " +
                               std::to_string(rows->size()));
  step.rows = *std::move(rows);
  if (const auto offset = arguments.take("offset")) {
    auto values = arguments.list(*offset, -kLargest, kLargest);
    if (!values) return std::move(values).error();
    if (values->size() != 1 && values->size() != 3)
      return arguments.error(offset->at, "offset= takes one value, or one a channel");
    step.offset = *std::move(values);
  }
  if (auto done = arguments.assign("round", kWholeWords, step.rounding); !done)
    return std::move(done).error();
  return Step{step};
}

Result<Step> read_standardize(Arguments& arguments) {
  Standardize step;
  if (const auto over = arguments.next()) {
    auto by_channel =
        arguments.word(*over, std::array{Word<bool>{"image", false}, Word<bool>{"channel", true}});
    if (!by_channel) return std::move(by_channel).error();
    step.by_channel = *by_channel;
  }
  return Step{step};
}

Result<Step> read_scale(Arguments& arguments) {
  auto argument = arguments.require("a range like 0..1 or -1..1");
  if (!argument) return std::move(argument).error();
  const std::size_t dots = argument->value.find("..");
  if (dots == std::string_view::npos) {
    return arguments.error(argument->at, "expected a range like -1..1, found \"" +
                                             sanitized(argument->value, 60) + "\"");
  }
  auto low =
      arguments.real({{}, argument->value.substr(0, dots), argument->at}, -kLargest, kLargest);
  if (!low) return std::move(low).error();
  auto high =
      arguments.real({{}, argument->value.substr(dots + 2), argument->at}, -kLargest, kLargest);
  if (!high) return std::move(high).error();
  if (*low >= *high) return arguments.error(argument->at, "the range is empty or backwards");
  return Step{Scale{*low, *high}};
}

Result<Step> read_normalize(Arguments& arguments) {
  Normalize step;
  for (const bool is_mean : {true, false}) {
    const auto argument = arguments.take(is_mean ? "mean" : "std");
    if (!argument) return arguments.error(arguments.at(), "normalize needs mean= and std=");
    auto values = arguments.list(*argument, is_mean ? -kLargest : kSmallestDivisor, kLargest);
    if (!values) return std::move(values).error();
    (is_mean ? step.mean : step.std) = *std::move(values);
  }
  if (step.mean.size() != step.std.size() && step.mean.size() != 1 && step.std.size() != 1) {
    return arguments.error(arguments.at(), "mean and std have different numbers of values");
  }
  return Step{step};
}

Result<Step> read_cast(Arguments& arguments) {
  static constexpr std::array kTypes{
      Word<DType>{"float32", DType::kFloat32}, Word<DType>{"float16", DType::kFloat16},
      Word<DType>{"uint8", DType::kUInt8},     Word<DType>{"int8", DType::kInt8},
      Word<DType>{"int16", DType::kInt16},
  };
  return read_word<Cast>(arguments, "a type like float32", kTypes);
}

Result<Step> read_quantize(Arguments& arguments) {
  Quantize step;
  if (const auto source = arguments.next()) {
    auto model = arguments.word(*source, std::array{Word<bool>{"model", true}});
    if (!model) return std::move(model).error();
  } else {
    const auto scale = arguments.take("scale"), zero = arguments.take("zero_point");
    if (!scale || !zero) {
      return arguments.error(arguments.at(), "expected quantize(model), or scale= and zero_point=");
    }
    auto value = arguments.real(*scale, kSmallestDivisor, kLargest);
    if (!value) return std::move(value).error();
    auto point = arguments.whole(*zero, -32768, 32767);
    if (!point) return std::move(point).error();
    step.scale = *value;
    step.zero_point = *point;
  }
  if (auto done = arguments.assign("round", kQuantizeRoundWords, step.round); !done)
    return std::move(done).error();
  if (auto done = arguments.assign("sign", kSignWords, step.sign_flipped); !done)
    return std::move(done).error();
  return Step{step};
}

Result<Step> read_layout(Arguments& arguments) {
  auto argument = arguments.require("nhwc or nchw");
  if (!argument) return std::move(argument).error();
  auto nchw = arguments.word(*argument, kLayoutWords);
  if (!nchw) return std::move(nchw).error();
  Layout step{*nchw};
  if (auto done = arguments.assign("memory", kMemoryWords, step.memory); !done)
    return std::move(done).error();
  return Step{step};
}

Result<Step> read_decode_step(Arguments& arguments) {
  auto step = read_decode(arguments);
  if (!step) return std::move(step).error();
  return Step{*step};
}

using Reader = Result<Step> (*)(Arguments&);
constexpr std::array<Word<Reader>, 18> kSteps{{
    {"decode", read_decode_step},
    {"rotate", [](Arguments& a) { return read_word<Rotate>(a, "90, 180 or 270", kTurnWords); }},
    {"flip", [](Arguments& a) { return read_word<Flip>(a, "horizontal or vertical", kFlipWords); }},
    {"crop", read_crop},
    {"resize", read_resize},
    {"letterbox", read_letterbox},
    {"color",
     [](Arguments& a) { return read_word<Color>(a, "an order like rgb or bgr", kOrderWords); }},
    {"gray", read_gray},
    {"scale", read_scale},
    {"normalize", read_normalize},
    {"cast", read_cast},
    {"layout", read_layout},
    {"quantize", read_quantize},
    {"shift", read_shift},
    {"tone", read_tone},
    {"recode", read_recode},
    {"standardize", read_standardize},
    {"matrix", read_matrix},
}};
// Words of plans and of other tools: a clear no beats "did you mean".
constexpr std::array<std::string_view, 2> kUnsupported{"yuv", "gamma"};

Result<Step> read_step(std::string_view recipe, const StepText& text) {
  Arguments arguments(recipe, text);
  for (const auto& [name, read] : kSteps) {
    if (name != text.name) continue;
    auto step = read(arguments);
    if (!step) return step;
    if (auto done = arguments.finish(); !done) return std::move(done).error();
    return step;
  }
  for (const std::string_view word : kUnsupported) {
    if (word != text.name) continue;
    Error refusal =
        arguments.error(text.at, std::string(word) + " is not supported in this version");
    refusal.kind = ErrorKind::kUnsupported;
    return refusal;
  }
  std::vector<std::string> known;
  for (const auto& [name, read] : kSteps) known.emplace_back(name);
  return arguments.unknown({{}, text.name, text.at}, known);
}

bool moves_pixels(const Step& step) {
  return std::holds_alternative<Rotate>(step) || std::holds_alternative<Flip>(step) ||
         std::holds_alternative<Crop>(step) || std::holds_alternative<Resize>(step) ||
         std::holds_alternative<Letterbox>(step) || std::holds_alternative<Shift>(step);
}

}  // namespace

const Decode* decode_step(const Recipe& recipe) {
  return recipe.steps.empty() ? nullptr : std::get_if<Decode>(&recipe.steps.front());
}

Recipe without_decode(const Recipe& recipe) {
  Recipe rest = recipe;
  if (decode_step(recipe)) rest.steps.erase(rest.steps.begin());
  return rest;
}

const audio::FrontEnd* sound_of(const Recipe& recipe) {
  const Sound* const sound = recipe.steps.empty() ? nullptr : std::get_if<Sound>(&recipe.steps[0]);
  return sound ? &sound->front_end : nullptr;
}

Recipe recipe_of(const audio::FrontEnd& front_end) { return {{Sound{front_end}}, ""}; }

const sensor::FrontEnd* readings_of(const Recipe& recipe) {
  const auto* const readings =
      recipe.steps.empty() ? nullptr : std::get_if<Readings>(&recipe.steps[0]);
  return readings ? &readings->front_end : nullptr;
}

Recipe recipe_of(const sensor::FrontEnd& front_end) { return {{Readings{front_end}}, ""}; }

const text::FrontEnd* text_of(const Recipe& recipe) {
  const Text* const text = recipe.steps.empty() ? nullptr : std::get_if<Text>(&recipe.steps[0]);
  return text ? &text->front_end : nullptr;
}

Recipe recipe_of(const text::FrontEnd& front_end) { return {{Text{front_end}}, ""}; }

Result<Recipe> parse_recipe(std::string_view text) {
  auto scanned = scan_recipe(text);
  if (!scanned) return std::move(scanned).error();
  Recipe recipe;
  recipe.post = std::string(scanned->post);
  if (is_of_readings(*scanned)) {
    auto readings = read_readings(text, *scanned);
    if (!readings) return std::move(readings).error();
    recipe.steps.emplace_back(*std::move(readings));
    return recipe;
  }
  if (is_of_text(*scanned)) {
    auto of_text = read_text(text, *scanned);
    if (!of_text) return std::move(of_text).error();
    recipe.steps.emplace_back(*std::move(of_text));
    return recipe;
  }
  if (is_of_sound(*scanned)) {
    auto sound = read_sound(text, *scanned);
    if (!sound) return std::move(sound).error();
    recipe.steps.push_back(*std::move(sound));
    return recipe;
  }
  bool laid_out = false;
  for (const StepText& step_text : scanned->steps) {
    auto step = read_step(text, step_text);
    if (!step) return std::move(step).error();
    const bool layout = std::holds_alternative<Layout>(*step);
    if (laid_out && (layout || moves_pixels(*step))) {
      return Arguments(text, step_text)
          .error(step_text.at, "after layout() the pixels no longer move: put this step before it");
    }
    if (std::holds_alternative<Decode>(*step) && !recipe.steps.empty()) {
      return Arguments(text, step_text)
          .error(step_text.at, "decode() is about the recorded bytes: put it first");
    }
    laid_out = laid_out || layout;
    recipe.steps.push_back(*std::move(step));
  }
  return recipe;
}

}  // namespace edgeprobe::preprocess
