// SPDX-License-Identifier: Apache-2.0
#include "preprocess/picture/resize.h"
#include "preprocess/recipe/picture_steps.h"

namespace edgeprobe::preprocess {
namespace {

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

}  // namespace

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

}  // namespace edgeprobe::preprocess
