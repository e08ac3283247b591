// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "postprocess/recipe.h"
#include "recipe/steps.h"

/// The vector behind an embedding model: read | pool | cut | normalise | cut | 8 bits.
namespace edgeprobe::postprocess::embedding {

/// How rows of an output, [..., rows, features], become one.
enum class Pool { kNone, kMean, kSum, kLargest, kFirst, kLast };

/// Rows that are pooled. All where the recipe names no mask, but for kInner.
enum class Rows {
  kReal,   ///< Those whose mask is 1.
  kAll,    ///< With padding.
  kInner,  ///< The real ones without the first and the last: special tokens.
};

enum class Norm {
  kNone,
  kL2,
  kL1,
  kLargest,
  kMinMax,  ///< (x - least) / (largest - least).
};

/// Rounding to 8 bits: round(127 x), cut to -128..127.
enum class Bits {
  kNone,
  kValues,  ///< Divided by 127 again.
  kCodes,
};

/// What an app makes of an embedding model's outputs, as data.
struct Recipe {
  std::size_t output = 0;
  Reading reading = Reading::kCodes;
  Pool pool = Pool::kNone;          ///< kNone: all numbers, row after row.
  std::optional<std::size_t> mask;  ///< Input of the model with 1 for each real row, 0 for padding.
  Rows rows = Rows::kReal;
  Norm norm = Norm::kNone;
  std::optional<std::size_t> length;  ///< Leading numbers that stay.
  bool is_cut_after = false;          ///< Behind the norm, not in front of it.
  Bits bits = Bits::kNone;
  bool operator==(const Recipe&) const = default;
};

/// The steps in the order in which they stand, as rows.
recipe::Steps steps();

/// Whether a text behind "||" is an embedding's: one of its steps is pool or normalize.
bool is_embedding(std::string_view text);

/// Parses the text behind "||":
///   output(0) | dequantize | pool(mean, mask=1) | cut(256) | normalize(l2) | quantize(127)
/// kUsage names the step, the column and the nearest word that is known.
Result<Recipe> parse(std::string_view text);
/// The canonical text; parse(to_text(r)) gives r again.
std::string to_text(const Recipe& recipe);

}  // namespace edgeprobe::postprocess::embedding
