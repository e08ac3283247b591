// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "recipe/steps.h"

/// The second half of a recipe: an app's processing of a model's outputs, as data.
namespace edgeprobe::postprocess {

/// How stored numbers are read. All except the first two are faults.
enum class Reading {
  kValues,              ///< Dequantised if the output is quantised.
  kCodes,               ///< As stored.
  kNoZeroPoint,         ///< scale * code.
  kOf255,               ///< (code - lowest code) / 255, for 8 bits.
  kFlippedSign,         ///< Dequantised, with int8 mistaken for uint8 or the reverse.
  kFlippedCodes,        ///< The codes of kFlippedSign.
  kFlippedNoZeroPoint,  ///< scale * the code of kFlippedCodes.
};

enum class Activation {
  kSoftmax,
  kSigmoid,
  kLogSoftmax,
  kShare,         ///< Divided by the sum.
  kOfLargest,     ///< Divided by the largest.
  kStretched,     ///< (x - least) / (largest - least).
  kExp,           ///< exp(x), without dividing by the sum.
  kBatchSoftmax,  ///< Softmax over the batch axis: 1 everywhere.
};

enum class Order { kDescending, kAscending, kUnsorted };

/// Order of a label table; all except the first are faults.
enum class TableOrder {
  kFile,
  kAlphabetical,  ///< By bytes.
  kNoCase,        ///< Ignoring the case of ASCII letters.
  kAsText,        ///< Numbers sorted as text: 0, 1, 10, 100, 2.
  kReversed,
  kOther,    ///< The other file.
  kNumbers,  ///< Class numbers instead of names.
};

/// A file with class names, of any kind that names/class_names.h reads.
struct Table {
  std::string file;
  std::string column;              ///< For a CSV table; "": chosen by its header.
  std::vector<std::string> names;  ///< Empty until loaded.
  bool operator==(const Table&) const = default;
};

struct Labels {
  Table table;
  std::optional<Table> other;  ///< A table that an app might use by mistake.
  int shift = 0;               ///< Class i gets line i + shift.
  TableOrder order = TableOrder::kFile;
  bool operator==(const Labels&) const = default;
};

/// Labels and scores from a classifier's output: read | activate | skip | sort | top k | threshold
/// | per cent | label.
struct Classification {
  std::optional<std::size_t> output;  ///< Unset: the output with one score for each class.
  Reading reading = Reading::kCodes;
  std::vector<Activation> activations;  ///< In order.
  std::size_t skip = 0;                 ///< Number of skipped leading classes.
  Order order = Order::kDescending;
  std::optional<std::size_t> most;  ///< Top k.
  std::optional<double> threshold;  ///< Minimum score.
  bool percent = false;
  std::optional<Labels> labels;
  bool operator==(const Classification&) const = default;
};

/// Limits of a recipe after the model.
inline constexpr std::size_t kMostActivations = 4;
inline constexpr int kMostClasses = 1'000'000;

/// The steps in order, as rows.
recipe::Steps steps();

/// Parses the text after "||". kUsage names the step, the column after the bars and the nearest
/// known word. Label files are not read.
Result<Classification> parse(std::string_view text);
/// The canonical text; parse(to_text(r)) returns r, except for the names in tables.
std::string to_text(const Classification& recipe);

}  // namespace edgeprobe::postprocess
