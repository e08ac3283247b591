// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "postprocess/recipe.h"
#include "recipe/steps.h"

/// Recipes for the vector after an embedding model: read | pool | cut | normalise | cut | 8 bits.
namespace edgeprobe::postprocess::embedding {

/// How rows of an output, [..., rows, features], are combined into one.
enum class Pool { kNone, kMean, kSum, kLargest, kFirst, kLast };

/// Pooled rows. All if the recipe names no mask, except for kInner.
enum class Rows {
  kReal,   ///< Those whose mask is 1.
  kAll,    ///< Including padding.
  kInner,  ///< The real rows without the first and the last: special tokens.
};

enum class Norm {
  kNone,
  kL2,
  kL1,
  kLargest,
  kMinMax,  ///< (x - least) / (largest - least).
};

/// Rounding to 8 bits: round(127 x), clipped to -128..127.
enum class Bits {
  kNone,
  kValues,  ///< Divided by 127 again.
  kCodes,
};

/// An app's processing of an embedding model's outputs, as data.
struct Recipe {
  std::size_t output = 0;
  Reading reading = Reading::kCodes;
  Pool pool = Pool::kNone;          ///< kNone: all numbers, row after row.
  std::optional<std::size_t> mask;  ///< Input of the model with 1 for each real row, 0 for padding.
  Rows rows = Rows::kReal;
  Norm norm = Norm::kNone;
  std::optional<std::size_t> length;  ///< Number of leading values to keep.
  bool is_cut_after = false;          ///< Cut after the normalisation instead of before.
  Bits bits = Bits::kNone;
  bool operator==(const Recipe&) const = default;
};

/// The steps in order, as rows.
recipe::Steps steps();

/// True if a text after "||" belongs to an embedding: one of its steps is pool or normalize.
bool is_embedding(std::string_view text);

/// Parses the text after "||":
///   output(0) | dequantize | pool(mean, mask=1) | cut(256) | normalize(l2) | quantize(127)
/// kUsage names the step, the column and the nearest known word.
Result<Recipe> parse(std::string_view text);
/// The canonical text; parse(to_text(r)) returns r.
std::string to_text(const Recipe& recipe);

}  // namespace edgeprobe::postprocess::embedding
