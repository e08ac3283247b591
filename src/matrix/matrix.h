// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/metrics/metrics.h"
#include "core/control.h"
#include "core/result.h"
#include "engine/engine.h"
#include "model/feeds.h"
#include "model/graph.h"

/// One model file on several engines: who computes the same as whom, layer by layer.
namespace edgeprobe::matrix {

/// One way of running the model.
struct Column {
  std::string name;  ///< "tflite reference", "onnxruntime off": unique among the columns.
  engine::EngineChoice engine;
  engine::SessionOptions session;
};

/// The columns that make sense for a model of this format: every engine that this machine has and
/// that loads it, with its kernel sets or optimisation levels. `base` gives threads and limits.
/// `missing` gets a sentence for each engine that cannot be opened.
std::vector<Column> default_columns(const std::string& format, const engine::SessionOptions& base,
                                    std::vector<std::string>& missing);

/// The engine that the server at this address runs models of this format with: "target", and one
/// column for each of its kernel sets or optimisation levels.
Result<std::vector<Column>> target_columns(const std::string& address, const std::string& format,
                                           const engine::SessionOptions& base);

/// ENGINE, or ENGINE:KERNELS, ENGINE:LEVEL, ENGINE:LIBRARY: "tflite:reference", "onnxruntime:off".
Result<Column> column_from_text(std::string_view text, const engine::SessionOptions& base);

/// What became of a column.
struct Ran {
  std::string name;
  engine::EngineIdentity identity;
  std::string problem;  ///< Why it has no outputs at all; "" when it has.
  std::vector<std::string> warnings;
  /// Its outputs lie beyond the floor from the base column's by rounding that adds up alone.
  bool rounding = false;
  std::optional<std::chrono::nanoseconds> latency;  ///< Median of the plain model. Not a benchmark.
};

/// How far two columns lie apart in one tensor, over all frames.
struct Distance {
  bool exact = false;  ///< Bit for bit (quantised: the same codes).
  /// |a - b| / |a|; of real values. Infinite where values are NaN or infinite on one side, or a is
  /// all zeros.
  double relative_l2 = 0;
  double max_abs = 0;
};

/// One tensor of the model: an output or the result of a layer.
struct Row {
  int tensor = -1;
  int layer = -1;  ///< That makes it.
  std::string type, name;
  bool output = false;
  /// By column: the distance from the base column; nothing where that column has no value.
  std::vector<std::optional<Distance>> from_base;
  std::vector<std::string> problems;  ///< By column: why it has no value; "" otherwise.
};

/// Two columns over all outputs.
struct Pair {
  std::size_t a = 0, b = 0;
  bool exact = false;
  double distance = 0;  ///< The largest of the outputs' relative L2; may be infinite.
  std::string shapes;   ///< An output that has another shape on both: which, and the shapes.
  bool agree = false;   ///< Not above the floor and no `changed`, or `rounding`.
  /// Above the floor, and every layer alone gives the same up to rounding: that adds up.
  bool rounding = false;
  /// Frames whose first class is another, where they are too many (compare::changed_classes()).
  std::size_t changed = 0;
};

struct Matrix {
  std::vector<Ran> columns;
  std::vector<Row> rows;    ///< In the order of execution, outputs included.
  std::vector<Pair> pairs;  ///< Of columns with outputs.
  std::size_t frames = 0;
  /// Distances of outputs up to this are agreement (compare::output_floor).
  double floor = 0;
  std::optional<std::size_t> reference;  ///< The column that was named as trusted.
  /// The columns that all agree with each other and whose libraries are more than half of those
  /// with outputs, when they are the only ones (majority_of()). Empty: there is no majority.
  std::vector<std::size_t> majority;
  /// The trusted column, else the majority's first, else the first with outputs.
  std::size_t base = 0;
};

/// Seeded values in the form of the model's inputs: real ones uniform in [-1, 1), stored codes over
/// their whole range, whole numbers within their `feeds`, or 0 and 1 without one.
std::vector<Tensor> random_inputs(const std::vector<TensorSpec>& specs, std::uint64_t seed,
                                  const std::vector<model::Feed>& feeds = {});

/// Makes the inputs of a frame in the form of these specs.
using Inputs = std::function<Result<std::vector<Tensor>>(const std::vector<TensorSpec>& specs,
                                                         std::size_t frame)>;

struct Options {
  std::size_t frames = 3;
  bool layers = true;
  /// Bytes of intermediates of all columns held at once.
  std::size_t budget = std::size_t{128} << 20;
  std::optional<std::size_t> reference;
  Control control;
};

/// Runs every column on the same inputs. An engine that refuses, crashes or hangs costs its cells
/// alone. kUsage without columns; kInterrupted when stopped before the outputs were known, else
/// what is done is returned.
Result<Matrix> run(const model::Graph& graph, ByteView file, const std::string& label,
                   const std::vector<Column>& columns, const Inputs& inputs,
                   const Options& options);

/// The set of columns in which every pair agrees that has the most votes, when it is the only one
/// with so many, and these are at least two and more than half; or all columns. `libraries`: by
/// column, which library it is of: each has one vote. Empty: every column has one.
std::vector<std::size_t> majority_of(const std::vector<std::size_t>& columns,
                                     const std::vector<Pair>& pairs,
                                     const std::vector<std::size_t>& libraries = {});

/// By column, the first column of the same library.
std::vector<std::size_t> libraries_of(const std::vector<Ran>& columns);

}  // namespace edgeprobe::matrix
