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

/// The second half of a recipe: what an app makes of a model's outputs, as data.
namespace edgeprobe::postprocess {

/// How stored numbers are read. All but the first two describe faults.
enum class Reading {
  kValues,              ///< Dequantised where the output is quantised.
  kCodes,               ///< As they are stored.
  kNoZeroPoint,         ///< scale * code.
  kOf255,               ///< (code - lowest code) / 255, for 8 bits.
  kFlippedSign,         ///< Dequantised, int8 taken for uint8 or the other way round.
  kFlippedCodes,        ///< The codes of that.
  kFlippedNoZeroPoint,  ///< scale * such a code.
};

enum class Activation {
  kSoftmax,
  kSigmoid,
  kLogSoftmax,
  kShare,         ///< Divided by the sum.
  kOfLargest,     ///< Divided by the largest.
  kStretched,     ///< (x - least) / (largest - least).
  kExp,           ///< exp(x), never divided.
  kBatchSoftmax,  ///< Softmax over the batch axis: 1 everywhere.
};

enum class Order { kDescending, kAscending, kUnsorted };

/// Order of a label table; all but the first describe faults.
enum class TableOrder {
  kFile,
  kAlphabetical,  ///< By bytes.
  kNoCase,        ///< Without regard to the case of ASCII letters.
  kAsText,        ///< Numbers sorted as text: 0, 1, 10, 100, 2.
  kReversed,
  kOther,    ///< The other file.
  kNumbers,  ///< Numbers of the classes in place of names.
};

/// A file with the names of classes, of any kind that names/class_names.h reads.
struct Table {
  std::string file;
  std::string column;              ///< Of a CSV table; "": the one that its header means.
  std::vector<std::string> names;  ///< Empty until it is loaded.
  bool operator==(const Table&) const = default;
};

struct Labels {
  Table table;
  std::optional<Table> other;  ///< A table that an app might take by mistake.
  int shift = 0;               ///< Class i gets line i + shift.
  TableOrder order = TableOrder::kFile;
  bool operator==(const Labels&) const = default;
};

/// Labels and scores of a classifier's output: read | activate | skip | sort | top k | threshold |
/// per cent | label.
struct Classification {
  std::optional<std::size_t> output;  ///< Absent: the output with one score for each class.
  Reading reading = Reading::kCodes;
  std::vector<Activation> activations;  ///< One after the other.
  std::size_t skip = 0;                 ///< Leading classes that are left out.
  Order order = Order::kDescending;
  std::optional<std::size_t> most;  ///< Top k.
  std::optional<double> threshold;  ///< Least score.
  bool percent = false;
  std::optional<Labels> labels;
  bool operator==(const Classification&) const = default;
};

/// Limits of a recipe behind the model.
inline constexpr std::size_t kMostActivations = 4;
inline constexpr int kMostClasses = 1'000'000;

/// The steps in the order in which they stand, as rows.
recipe::Steps steps();

/// Parses the text behind "||". kUsage names the step, the column behind the bars and the nearest
/// word that is known. Label files are not read.
Result<Classification> parse(std::string_view text);
/// The canonical text; parse(to_text(r)) gives r again, but for the names of tables.
std::string to_text(const Classification& recipe);

}  // namespace edgeprobe::postprocess
