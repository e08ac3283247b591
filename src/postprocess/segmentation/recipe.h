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

/// A class for each pixel: read | activate | decide | resize | colours, or resized first.
namespace edgeprobe::postprocess::segmentation {

using detection::Size;

/// How a cell of the output becomes a class.
enum class Decision {
  kIds,        ///< The output holds class numbers.
  kArgmax,     ///< The class with the largest score; of equal ones the first.
  kThreshold,  ///< Class 1 where the only score reaches the threshold, else 0.
};

/// How the cells of an output are taken for another arrangement; all but the first are faults.
enum class Misreading {
  kNone,
  kOtherLayout,  ///< [H, W, C] taken for [C, H, W], or the other way round.
  kOverRows,     ///< The decision falls over rows in place of classes.
  kOverColumns,
};

/// What happens to the output's cells before they are resized; all but the first are faults.
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
  std::optional<Size> to;    ///< Absent: as the picture.
  bool is_bilinear = false;  ///< Else the nearest cell.
  preprocess::Align align = preprocess::Align::kHalfPixel;
  bool is_of_scores = false;  ///< Before the decision.
  /// Of scores: first to the model's input, so that bars are cut off in whole pixels of it.
  bool is_through_input = false;
  bool is_cut_down = false;  ///< Classes between two are cut to whole numbers, not rounded.
  bool are_sides_exchanged = false;
  bool operator==(const Resizing&) const = default;
};

/// Numbers that a mask holds in place of classes, by class: 0xRRGGBB, or other class numbers.
struct Palette {
  std::string file;
  std::vector<std::int32_t> numbers;  ///< Empty until loaded.
  bool operator==(const Palette&) const = default;
};

/// What an app makes of a segmentation model's output, as data.
struct Recipe {
  std::size_t output = 0;
  Reading reading = Reading::kCodes;
  std::vector<Activation> activations;
  Decision decision = Decision::kArgmax;
  double threshold = 0.5;          ///< kThreshold.
  bool is_channels_first = false;  ///< [1, C, H, W] in place of [1, H, W, C].
  std::optional<Resizing> resizing;
  /// Where the picture lies in the model's input; of kStretched and the letterboxes.
  detection::Scale frame = detection::Scale::kStretched;
  std::optional<Palette> colors;

  // Faults, which have no text.
  Misreading misreading = Misreading::kNone;
  Turn turn = Turn::kNone;
  int shift = 0;                                 ///< Added to each class.
  std::map<std::int32_t, std::int32_t> renamed;  ///< Classes that become other ones.
  bool is_bgr = false;                           ///< Red and blue of the colours exchanged.
  bool operator==(const Recipe&) const = default;
};

/// The steps in the order in which they stand, as rows.
recipe::Steps steps();

/// Whether a text behind "||" is a segmentation's: one of its steps is argmax, ids, mask or colors.
bool is_segmentation(std::string_view text);

/// Parses the text behind "||":
///   dequantize | softmax | argmax | resize(picture, nearest) | colors(FILE)
/// kUsage names the step, the column and the nearest word that is known. Files are not read.
Result<Recipe> parse(std::string_view text);
/// The canonical text; parse(to_text(r)) gives r again, but for what is loaded and for faults.
std::string to_text(const Recipe& recipe);

/// Numbers of a colour file, one a line: "#rrggbb", "r, g, b" or one whole number. kCorrupt names
/// the line that is none of these.
Result<std::vector<std::int32_t>> palette_of(ByteView text);

/// Reads the colour file that the recipe names.
Status load_colors(Recipe& recipe);

}  // namespace edgeprobe::postprocess::segmentation
