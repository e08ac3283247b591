// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/text.h"
#include "preprocess/picture/resize.h"
#include "preprocess/recipe/picture_steps.h"
#include "preprocess/recipe/picture_words.h"
#include "recipe/print.h"

namespace edgeprobe::preprocess {
namespace {

using recipe::Argument;
using recipe::Arguments;
using recipe::as;
using recipe::member;
using recipe::own;
using recipe::real;
using recipe::step;
using recipe::whole;
using recipe::Word;
using recipe::word;

/// The equivalent library call, if there is one.
std::string same_as(const Resampling& r, Rounding rounding) {
  const bool half = r.align == Align::kHalfPixel,
             plain = half && !r.antialias && r.edge == Edge::kReplicate;
  const bool opencv = rounding == Rounding::kOpencv,
             pillow = rounding == Rounding::kPillow || rounding == Rounding::kPillow12;
  const bool tensorflow = rounding == Rounding::kFloat;
  switch (r.kernel) {
    case Kernel::kNearest:
      if (r.grid == Grid::kFloat32)
        return half ? "tf.image.resize(…, 'nearest')" : "TFLite RESIZE_NEAREST_NEIGHBOR";
      if (r.grid == Grid::kFixed16) return "OpenCV 4 INTER_NEAREST_EXACT";
      return r.align == Align::kLegacy ? "cv2.INTER_NEAREST"
             : half                    ? "PIL NEAREST, OpenCV 5 INTER_NEAREST_EXACT"
                                       : "";
    case Kernel::kBilinear:
      if (plain && opencv) return "cv2.INTER_LINEAR on 8-bit pixels";
      if (plain && tensorflow) return "tf.image.resize(…, 'bilinear'), cv2.INTER_LINEAR on float";
      if (r.antialias && pillow) return "PIL BILINEAR on 8-bit pixels";
      if (r.antialias && tensorflow)
        return "tf.image.resize(…, 'bilinear', antialias=True), PIL BILINEAR on float";
      return r.align == Align::kLegacy ? "TFLite RESIZE_BILINEAR without half_pixel_centers"
             : half                    ? ""
                                       : "RESIZE_BILINEAR with align_corners";
    case Kernel::kArea:
      return opencv ? "cv2.INTER_AREA on 8-bit pixels" : "cv2.INTER_AREA on float";
    case Kernel::kBox: return pillow ? "PIL BOX on 8-bit pixels" : "PIL BOX on float";
    case Kernel::kBicubic:
      if (plain && r.cubic_a == -0.75)
        return opencv ? "cv2.INTER_CUBIC on 8-bit pixels" : "cv2.INTER_CUBIC on float";
      if (r.antialias && r.cubic_a == -0.5)
        return pillow ? "PIL BICUBIC on 8-bit pixels" : "PIL BICUBIC on float";
      return r.edge == Edge::kDrop && r.cubic_a == -0.5 ? "tf.image.resize(…, 'bicubic')" : "";
    case Kernel::kLanczos3:
      if (r.antialias) return pillow ? "PIL LANCZOS on 8-bit pixels" : "PIL LANCZOS on float";
      return r.edge == Edge::kDrop ? "tf.image.resize(…, 'lanczos3')" : "";
    case Kernel::kLanczos4:
      return plain ? (opencv ? "cv2.INTER_LANCZOS4 on 8-bit pixels" : "cv2.INTER_LANCZOS4 on float")
                   : "";
  }
  return "";
}

enum class Library { kOpencv, kPillow, kTensorflow };
constexpr std::array kLibraries{Word{"opencv", Library::kOpencv}, Word{"pillow", Library::kPillow},
                                Word{"tensorflow", Library::kTensorflow}};

/// Applies the defaults of a library's name with this kernel; explicit arguments are read after it.
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

// Kernel and its options, for resize and letterbox: S is one of the two.

template <class S>
Kernel kernel_of(const void* s) {
  return as<S>(s).resampling.kernel;
}
template <class S>
bool has_align(const void* s) {
  return takes_align(kernel_of<S>(s));
}
template <class S>
bool has_antialias(const void* s) {
  return takes_antialias(kernel_of<S>(s));
}
template <class S>
bool has_edge(const void* s) {
  return has_antialias<S>(s) && !as<S>(s).resampling.antialias;
}
template <class S>
bool is_bicubic(const void* s) {
  return kernel_of<S>(s) == Kernel::kBicubic;
}
template <class S>
bool is_nearest(const void* s) {
  return kernel_of<S>(s) == Kernel::kNearest;
}
template <class S>
Status choose_antialias(const Arguments&, const Argument*, void* s) {
  as<S>(s).resampling.antialias = kernel_of<S>(s) == Kernel::kBox;
  return {};
}
template <class S>
Status read_library(Arguments& arguments, const Argument& given, void* s) {
  EP_TRY(auto library, arguments.word(given, kLibraries));
  return apply_library(arguments, given.at, static_cast<Library>(library), as<S>(s).resampling,
                       as<S>(s).rounding);
}
Status check_resampling(const Arguments& arguments, Resampling& r, Rounding rounding) {
  if (r.antialias) r.edge = Edge::kReplicate;
  if (r.antialias && r.align != Align::kHalfPixel)
    return arguments.error(arguments.at(), "antialias=on exists with align=half_pixel only");
  if (r.grid == Grid::kFixed16 && r.align != Align::kHalfPixel)
    return arguments.error(arguments.at(), "grid=fixed16 exists with align=half_pixel only");
  if (auto fits = check_rounding(r, rounding); !fits)
    return arguments.error(arguments.at(), fits.error().what);
  return {};
}
template <class S>
Status check_options(const Arguments& arguments, const Argument*, void* s) {
  return check_resampling(arguments, as<S>(s).resampling, as<S>(s).rounding);
}

constexpr std::array kKernelWords{
    Word{"nearest", Kernel::kNearest},   Word{"bilinear", Kernel::kBilinear},
    Word{"area", Kernel::kArea},         Word{"box", Kernel::kBox},
    Word{"bicubic", Kernel::kBicubic},   Word{"lanczos3", Kernel::kLanczos3},
    Word{"lanczos4", Kernel::kLanczos4},
};
constexpr std::array kSwitchWords{Word{"on", true}, Word{"off", false}};
constexpr std::array kGrids{Word{"double", Grid::kDouble}, Word{"fixed16", Grid::kFixed16},
                            Word{"float32", Grid::kFloat32}};
constexpr std::array kEdges{Word{"replicate", Edge::kReplicate}, Word{"drop", Edge::kDrop}};

template <class S>
constexpr recipe::Field kKernelField = word("kernel", member<&S::resampling, &Resampling::kernel>,
                                            kKernelWords)
                                           .positional()
                                           .always()
                                           .and_then(choose_antialias<S>);
template <class S>
constexpr recipe::Field kLikeField =
    own("like", {}, read_library<S>, nullptr).shown_if(recipe::never);
template <class S>
constexpr recipe::Field kAntialiasField = word("antialias",
                                               member<&S::resampling, &Resampling::antialias>,
                                               kSwitchWords)
                                              .only_if(has_antialias<S>)
                                              .always();
template <class S>
constexpr recipe::Field kAlignField = word("align", member<&S::resampling, &Resampling::align>,
                                           kAlignWords)
                                          .only_if(has_align<S>)
                                          .always();
template <class S>
constexpr recipe::Field kCubicField =
    real("a", member<&S::resampling, &Resampling::cubic_a>, -4, 0).only_if(is_bicubic<S>).always();
template <class S>
constexpr recipe::Field kGridField =
    word("grid", member<&S::resampling, &Resampling::grid>, kGrids).only_if(is_nearest<S>);
template <class S>
constexpr recipe::Field kEdgeField =
    word("edge", member<&S::resampling, &Resampling::edge>, kEdges).only_if(has_edge<S>);
template <class S>
constexpr recipe::Field kRoundField =
    word("round", member<&S::rounding>, kRoundingWords).and_then(check_options<S>);

template <class S>
Status read_size(Arguments& arguments, const Argument& given, void* s) {
  EP_TRY(auto size, arguments.size(given));
  as<S>(s).height = size.height;
  as<S>(s).width = size.width;
  return {};
}
template <class S>
std::string sides_text(const void* s) {
  return size_text(as<S>(s).height, as<S>(s).width);
}

constexpr std::array kResize{
    whole("short", member<&Resize::shorter>, 1, kMostSide),
    own("size", {}, read_size<Resize>, sides_text<Resize>)
        .needed("a size like 224x224, or short=256")
        .only_if([](const void* s) { return as<Resize>(s).shorter == 0; }),
    kKernelField<Resize>,
    kLikeField<Resize>,
    kAntialiasField<Resize>,
    kAlignField<Resize>,
    kCubicField<Resize>,
    kGridField<Resize>,
    kEdgeField<Resize>,
    kRoundField<Resize>,
};
std::string kernel_meaning(const Resampling& r, Rounding rounding) {
  const std::string library = same_as(r, rounding);
  return " (" + std::string(recipe::word_of(kKernelWords, r.kernel)) +
         (library.empty() ? "" : ", as " + library) + ")";
}
std::string resize_meaning(const void* recipe) {
  const auto& s = as<Resize>(recipe);
  const std::string kernel = kernel_meaning(s.resampling, s.rounding);
  if (s.shorter == 0) return "stretches to " + sides(s.height, s.width) + kernel;
  const std::string side = std::to_string(s.shorter);
  return "keeps the aspect ratio and makes the shorter side " + side +
         " pixels, as torchvision's Resize(" + side + ")" + kernel;
}

Status read_fill(Arguments& arguments, const Argument& given, void* recipe) {
  EP_TRY(auto values, arguments.list(given, 0, 255));
  auto& s = as<Letterbox>(recipe);
  if (values.size() == 1) s.fill = values.front();
  else s.channel_fill = std::move(values);
  return {};
}
std::string fill_text(const void* recipe) {
  const auto& s = as<Letterbox>(recipe);
  return s.channel_fill.empty() ? recipe::exact_text(s.fill) : recipe::list_text(s.channel_fill);
}
/// Position of the picture, stored in two members.
enum class Place { kCenter, kTopLeft, kBottomRight };
constexpr std::array kPlaces{Word{"center", Place::kCenter}, Word{"top_left", Place::kTopLeft},
                             Word{"bottom_right", Place::kBottomRight}};
constexpr recipe::Member kPlace{[](const void* recipe) -> recipe::Value {
                                  const auto& s = as<Letterbox>(recipe);
                                  return static_cast<std::int64_t>(s.centered ? Place::kCenter
                                                                   : s.at_end ? Place::kBottomRight
                                                                              : Place::kTopLeft);
                                },
                                [](void* recipe, const recipe::Value& value) {
                                  const auto place =
                                      static_cast<Place>(std::get<std::int64_t>(value));
                                  as<Letterbox>(recipe).centered = place == Place::kCenter;
                                  as<Letterbox>(recipe).at_end = place == Place::kBottomRight;
                                },
                                [] { return recipe::Value(std::int64_t{0}); }};
constexpr std::array kWholeSides{Word{"round", WholeSides::kRound},
                                 Word{"floor", WholeSides::kFloor},
                                 Word{"ceil", WholeSides::kCeil}};
constexpr std::array kOddPixels{Word{"last", false}, Word{"first", true}};
constexpr std::array kLetterbox{
    own("size", {}, read_size<Letterbox>, sides_text<Letterbox>).needed("a size like 224x224"),
    kKernelField<Letterbox>,
    kLikeField<Letterbox>,
    kAntialiasField<Letterbox>,
    kAlignField<Letterbox>,
    kCubicField<Letterbox>,
    kGridField<Letterbox>,
    kEdgeField<Letterbox>,
    kRoundField<Letterbox>,
    own("fill", {}, read_fill, fill_text),
    word("place", kPlace, kPlaces),
    word("sides", member<&Letterbox::sides>, kWholeSides),
    word("odd", member<&Letterbox::is_odd_first>, kOddPixels),
};
std::string letterbox_meaning(const void* recipe) {
  const auto& s = as<Letterbox>(recipe);
  return "fits into " + sides(s.height, s.width) +
         ", keeps the aspect ratio and fills the rest with " +
         (s.channel_fill.empty() ? number(s.fill) : "one value a channel") +
         (s.centered ? " around it"
          : s.at_end ? " above or to the left"
                     : " below or to the right") +
         (s.sides == WholeSides::kFloor  ? ", its sides rounded down"
          : s.sides == WholeSides::kCeil ? ", its sides rounded up"
                                         : "") +
         (s.is_odd_first ? ", the odd pixel above and to the left" : "") +
         kernel_meaning(s.resampling, s.rounding);
}

constexpr std::array kResizeSteps{
    picture_step<Resize>(step("resize", 4, kResize).meant_by(resize_meaning)),
    picture_step<Letterbox>(step("letterbox", 5, kLetterbox).meant_by(letterbox_meaning)),
};

}  // namespace

PictureSteps resize_steps() { return kResizeSteps; }

}  // namespace edgeprobe::preprocess
