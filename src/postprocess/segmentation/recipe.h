// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "postprocess/detection/coordinates.h"
#include "postprocess/recipe.h"
#include "preprocess/recipe/recipe.h"
#include "recipe/steps.h"

/// Recipes with a class for each pixel: read | activate | decide | resize | colours; or resized
/// first.
namespace edgeprobe::postprocess::segmentation {

using detection::Size;

/// How a cell of the output is assigned a class.
enum class Decision {
  kIds,        ///< The output holds class numbers.
  kArgmax,     ///< The class with the largest score; the first of equal ones.
  kThreshold,  ///< Class 1 if the only score reaches the threshold, 0 if not.
};

/// Wrong interpretations of an output's cells; all except the first are faults.
enum class Misreading {
  kNone,
  kOtherLayout,  ///< [H, W, C] mistaken for [C, H, W], or the reverse.
  kOverRows,     ///< The maximum is taken over rows instead of classes.
  kOverColumns,
};

/// Transformation of the output's cells before resizing; all except the first are faults.
enum class Turn {
  kNone,
  kTransposed,
  kLeftRight,
  kUpsideDown,
  kHalf,           ///< By 180 degrees.
  kQuarter,        ///< By 90 degrees, counterclockwise.
  kThreeQuarters,  ///< By 270 degrees, counterclockwise.
  kAntiTransposed,
};

struct Resizing {
  std::optional<Size> to;    ///< Unset: the picture's size.
  bool is_bilinear = false;  ///< False: nearest cell.
  preprocess::Align align = preprocess::Align::kHalfPixel;
  bool is_of_scores = false;  ///< Before the decision.
  /// For scores: first resized to the model's input, so that bars are cropped in whole pixels of
  /// it.
  bool is_through_input = false;
  bool is_cut_down = false;  ///< Interpolated classes are truncated to integers instead of rounded.
  bool are_sides_exchanged = false;
  bool operator==(const Resizing&) const = default;
};

/// Numbers that replace classes in a mask, by class: 0xRRGGBB, or other class numbers.
struct Palette {
  std::string file;
  std::vector<std::int32_t> numbers;  ///< Empty until loaded.
  bool operator==(const Palette&) const = default;
};

/// An app's processing of a segmentation model's output, as data.
struct Recipe {
  std::size_t output = 0;
  Reading reading = Reading::kCodes;
  std::vector<Activation> activations;
  Decision decision = Decision::kArgmax;
  double threshold = 0.5;          ///< For kThreshold.
  bool is_channels_first = false;  ///< [1, C, H, W] instead of [1, H, W, C].
  std::optional<Resizing> resizing;
  /// Position of the picture in the model's input; kStretched or a letterbox.
  detection::Scale frame = detection::Scale::kStretched;
  std::optional<Palette> colors;

  // Faults, which have no text.
  Misreading misreading = Misreading::kNone;
  Turn turn = Turn::kNone;
  int shift = 0;                                 ///< Added to each class.
  std::map<std::int32_t, std::int32_t> renamed;  ///< Classes replaced by others.
  bool is_bgr = false;                           ///< Red and blue of the colours swapped.
  bool operator==(const Recipe&) const = default;
};

/// The steps in order, as rows.
recipe::Steps steps();

/// True if a text after "||" belongs to a segmentation: one of its steps is argmax, ids, mask or
/// colors.
bool is_segmentation(std::string_view text);

/// Parses the text after "||":
///   dequantize | softmax | argmax | resize(picture, nearest) | colors(FILE)
/// kUsage names the step, the column and the nearest known word. Files are not read.
Result<Recipe> parse(std::string_view text);
/// The canonical text; parse(to_text(r)) returns r, except for loaded files and faults.
std::string to_text(const Recipe& recipe);

/// Numbers in a colour file, one per line: "#rrggbb", "r, g, b" or one integer. kCorrupt names an
/// invalid line.
Result<std::vector<std::int32_t>> palette_of(ByteView text);

/// Loads the colour file of the recipe.
Status load_colors(Recipe& recipe);

}  // namespace edgeprobe::postprocess::segmentation
