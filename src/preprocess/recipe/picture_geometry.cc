// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdlib>

#include "core/text.h"
#include "preprocess/recipe/picture_steps.h"
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

constexpr std::array kTurns{Word{"90", 90}, Word{"180", 180}, Word{"270", 270}};
constexpr std::array kRotate{
    word("degrees", member<&Rotate::degrees>, kTurns).needed("90, 180 or 270").always()};

constexpr std::array kDirections{Word{"horizontal", true, "swaps left and right"},
                                 Word{"vertical", false, "swaps top and bottom"}};
constexpr std::array kFlip{word("direction", member<&Flip::horizontal>, kDirections)
                               .needed("horizontal or vertical")
                               .always()};

/// crop(center, …) and crop(square): a fraction of the sides, or a number of pixels.
Status read_middle(Arguments& arguments, const Argument& first, Crop& crop) {
  crop.kind = first.value == "center" ? Crop::Kind::kFraction : Crop::Kind::kSquare;
  const auto share = arguments.next();
  if (!share && crop.kind == Crop::Kind::kSquare) return {};
  if (!share)
    return arguments.error(first.at,
                           "crop(center, …) needs a fraction like 0.875 or a size like 224x224");
  if (crop.kind == Crop::Kind::kFraction && share->value.find('x') != std::string_view::npos) {
    EP_TRY(auto size, arguments.size(*share));
    crop.kind = Crop::Kind::kSize;
    crop.height = size.height;
    crop.width = size.width;
    return {};
  }
  EP_TRY(crop.fraction, arguments.real(*share, 1e-4, 1.0));
  return {};
}

Status read_part(Arguments& arguments, const Argument& first, void* recipe) {
  auto& crop = as<Crop>(recipe);
  if (first.value == "center" || first.value == "square")
    return read_middle(arguments, first, crop);
  crop.kind = Crop::Kind::kWindow;
  const char digit = first.value.front();
  if (digit < '0' || digit > '9') return arguments.unknown(first, {"center", "square"});
  EP_TRY(auto top, arguments.whole(first, 0, 1 << 20));
  EP_TRY(auto second, arguments.require("top, left, HEIGHTxWIDTH"));
  EP_TRY(auto left, arguments.whole(second, 0, 1 << 20));
  EP_TRY(auto third, arguments.require("top, left, HEIGHTxWIDTH"));
  EP_TRY(auto size, arguments.size(third));
  crop.top = top;
  crop.left = left;
  crop.height = size.height;
  crop.width = size.width;
  return {};
}
std::string part_text(const void* recipe) {
  const auto& crop = as<Crop>(recipe);
  switch (crop.kind) {
    case Crop::Kind::kFraction: return "center, " + recipe::exact_text(crop.fraction);
    case Crop::Kind::kSize: return "center, " + size_text(crop.height, crop.width);
    case Crop::Kind::kSquare:
      return crop.fraction == 1 ? "square" : "square, " + recipe::exact_text(crop.fraction);
    case Crop::Kind::kWindow: break;
  }
  return std::to_string(crop.top) + ", " + std::to_string(crop.left) + ", " +
         size_text(crop.height, crop.width);
}
bool is_of_size(const void* crop) { return as<Crop>(crop).kind == Crop::Kind::kSize; }
bool is_share(const void* crop) {
  return as<Crop>(crop).kind == Crop::Kind::kFraction || as<Crop>(crop).kind == Crop::Kind::kSquare;
}
constexpr std::array kOffsets{Word{"half_even", Crop::Offset::kHalfEven},
                              Word{"floor", Crop::Offset::kFloor}};
constexpr std::array kCrop{
    own("part", {}, read_part, part_text).needed("center, square, or top, left, HEIGHTxWIDTH"),
    word("offset", member<&Crop::offset>, kOffsets).only_if(is_of_size),
    real("down", member<&Crop::down>, -1e4, 1e4).only_if(is_share),
    real("right", member<&Crop::right>, -1e4, 1e4).only_if(is_share),
};
std::string crop_meaning(const void* recipe) {
  const auto& s = as<Crop>(recipe);
  if (s.kind == Crop::Kind::kWindow)
    return "keeps the part " + sides(s.height, s.width) + ", from row " + std::to_string(s.top) +
           ", column " + std::to_string(s.left);
  if (s.kind == Crop::Kind::kSize)
    return "keeps the middle, " + sides(s.height, s.width) +
           (s.offset == Crop::Offset::kHalfEven ? ", as torchvision's CenterCrop"
                                                : ", the offset rounded down");
  const std::string share = s.fraction == 1 ? "" : percent(s.fraction) + " of ";
  const std::string moved =
      (s.down == 0 ? "" : ", moved down by " + percent(s.down) + " of its height") +
      (s.right == 0 ? "" : ", moved right by " + percent(s.right) + " of its width");
  return (s.kind == Crop::Kind::kSquare
              ? "keeps the centred square whose side is " + share + "the shorter side"
              : "keeps " + share + "both sides, centred") +
         moved;
}

constexpr std::array kShiftEdges{
    Word{"repeat", Shift::Edge::kRepeat, "; the border repeats"},
    Word{"wrap", Shift::Edge::kWrap, "; what leaves on one side comes in on the other"},
    Word{"black", Shift::Edge::kBlack, "; black comes in"},
};
constexpr const char* kMoved = "rows down and columns right, like shift(1, 0)";
constexpr std::array kShift{
    whole("down", member<&Shift::down>, -kMostSide, kMostSide).needed(kMoved).always(),
    whole("right", member<&Shift::right>, -kMostSide, kMostSide).needed(kMoved).always(),
    word("edge", member<&Shift::edge>, kShiftEdges),
};
std::string shift_meaning(const void* recipe) {
  const auto& s = as<Shift>(recipe);
  std::string text = "moves the pixels";
  if (s.down != 0 || s.right == 0)
    text += (s.down < 0 ? " up by " : " down by ") + std::to_string(std::abs(s.down));
  if (s.right != 0)
    text += std::string(s.down != 0 ? " and" : "") + (s.right < 0 ? " left by " : " right by ") +
            std::to_string(std::abs(s.right));
  return text + recipe::find_word(kShiftEdges, static_cast<int>(s.edge))->meaning;
}

constexpr std::array kGeometrySteps{
    picture_step<Rotate>(
        step("rotate", 1, kRotate).saying("turns the picture clockwise by {degrees} degrees")),
    picture_step<Flip>(step("flip", 2, kFlip).saying("{direction}")),
    picture_step<Crop>(step("crop", 3, kCrop).meant_by(crop_meaning)),
    picture_step<Shift>(step("shift", 13, kShift).meant_by(shift_meaning)),
};

}  // namespace

PictureSteps geometry_steps() { return kGeometrySteps; }

}  // namespace edgeprobe::preprocess
