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

/// Runs one model file on several engines and determines, layer by layer, which engines compute
/// equal results.
namespace edgeprobe::matrix {

/// One way of running the model.
struct Column {
  std::string name;  ///< "tflite reference", "onnxruntime off": unique among the columns.
  engine::EngineChoice engine;
  engine::SessionOptions session;
};

/// The useful columns for a model of this format: every engine on this machine that loads it, with
/// its kernel sets or optimisation levels. `base` provides threads and limits. `missing` gets a
/// sentence for each engine that cannot be opened.
std::vector<Column> default_columns(const std::string& format, const engine::SessionOptions& base,
                                    std::vector<std::string>& missing);

/// The engine that the server at this address uses for models of this format: "target", and one
/// column for each of its kernel sets or optimisation levels.
Result<std::vector<Column>> target_columns(const std::string& address, const std::string& format,
                                           const engine::SessionOptions& base);

/// ENGINE, or ENGINE:KERNELS, ENGINE:LEVEL, ENGINE:LIBRARY: "tflite:reference", "onnxruntime:off".
Result<Column> column_from_text(std::string_view text, const engine::SessionOptions& base);

/// Result of a column.
struct Ran {
  std::string name;
  engine::EngineIdentity identity;
  std::string problem;  ///< Why it has no outputs at all; "" if it has.
  std::vector<std::string> warnings;
  /// Its outputs exceed the floor only because of accumulated rounding relative to the base column.
  bool rounding = false;
  std::optional<std::chrono::nanoseconds> latency;  ///< Median of the plain model. Not a benchmark.
};

/// Distance of two columns in one tensor, over all frames.
struct Distance {
  bool exact = false;  ///< Bit-identical (quantised: the same codes).
  /// |a - b| / |a|, of real values. Infinite if values are NaN or infinite on one side, or if a is
  /// all zeros.
  double relative_l2 = 0;
  double max_abs = 0;
};

/// One tensor of the model: an output or the result of a layer.
struct Row {
  int tensor = -1;
  int layer = -1;  ///< The layer that makes it.
  std::string type, name;
  bool output = false;
  /// By column: the distance from the base column; empty if that column has no value.
  std::vector<std::optional<Distance>> from_base;
  std::vector<std::string> problems;  ///< By column: why it has no value; "" if it has one.
};

/// Comparison of two columns over all outputs.
struct Pair {
  std::size_t a = 0, b = 0;
  bool exact = false;
  double distance = 0;  ///< The largest relative L2 of the outputs; may be infinite.
  std::string shapes;   ///< The output whose shape differs between both, with the shapes.
  bool agree = false;   ///< `distance` is at most the floor and `changed` is 0, or `rounding` is
                        ///< set.
  /// Above the floor, but every single layer agrees up to rounding: rounding accumulates.
  bool rounding = false;
  /// Frames whose first class differs; 0 unless there are too many (compare::changed_classes()).
  std::size_t changed = 0;
};

struct Matrix {
  std::vector<Ran> columns;
  std::vector<Row> rows;    ///< In execution order, including outputs.
  std::vector<Pair> pairs;  ///< Of columns with outputs.
  std::size_t frames = 0;
  /// Output distances up to this count as agreement (compare::output_floor).
  double floor = 0;
  std::optional<std::size_t> reference;  ///< The column that was named as trusted.
  /// The columns that all agree with each other and whose libraries are more than half of those
  /// with outputs, if this set is unique (majority_of()). Empty: no majority.
  std::vector<std::size_t> majority;
  /// The trusted column, or else the majority's first, or else the first with outputs.
  std::size_t base = 0;
};

/// Seeded values in the form of the model's inputs: real ones uniform in [-1, 1), stored codes over
/// their whole range, integers within their `feeds`, or 0 and 1 without one.
std::vector<Tensor> random_inputs(const std::vector<TensorSpec>& specs, std::uint64_t seed,
                                  const std::vector<model::Feed>& feeds = {});

/// Creates the inputs of a frame in the form of these specs.
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

/// Runs every column on the same inputs. If an engine refuses, crashes or hangs, only its own cells
/// are lost. kUsage without columns; kInterrupted if stopped before the outputs were known; if
/// stopped later, returns partial results.
Result<Matrix> run(const model::Graph& graph, ByteView file, const std::string& label,
                   const std::vector<Column>& columns, const Inputs& inputs,
                   const Options& options);

/// The set of columns that agree pairwise and has the most votes: at least two, and more than half
/// of all, unless it contains all columns. Empty if another such set has as many votes.
/// `libraries`: by column, its library, which has one vote; if empty, every column has one.
std::vector<std::size_t> majority_of(const std::vector<std::size_t>& columns,
                                     const std::vector<Pair>& pairs,
                                     const std::vector<std::size_t>& libraries = {});

/// By column, the first column of the same library.
std::vector<std::size_t> libraries_of(const std::vector<Ran>& columns);

}  // namespace edgeprobe::matrix
