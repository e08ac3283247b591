// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "model/graph.h"

/// Assigns parts of the model to processors, in order: a file that fits every model of one
/// structure, whatever its weights (docs/reference/plan.md).
namespace edgeprobe::stretch {

/// Runs parts of a model: an engine on some CPUs.
struct Processor {
  std::string name;
  std::string engine;  ///< In the form of --engine: "onnxruntime", "litert:/path/libLiteRt.so".
  std::vector<int>
      /// At least one, counted from 0, ascending; the processor's own thread runs there too.
      cpus;
  int threads = 1;  ///< The engine's threads; at most one for each CPU.
  /// Slowdown factor that emulates a slower processor; at least 1.
  double emulated_slowdown = 1;
  /// Takes operators over from the engine, in the form of --delegate, e.g. the execution provider
  /// of a GPU; "": none.
  std::string delegate = {};

  bool operator==(const Processor&) const = default;
};

/// Layers computed in parts, so that processors can share them: each part has its share of the
/// weights. For pieces, parts are ordinary layers, whose tensor names end in "/part1", "/part2".
struct Split {
  enum class Kind {
    kPair,      ///< Output channels of a layer, and the same input channels of the next one; the
                ///< results of the parts are added.
    kChannels,  ///< Output channels; a Concat joins the parts.
    kRows,      ///< Rows of the last tensor, with the rows of all earlier ones that they need.
  };
  Kind kind = Kind::kPair;
  std::string from, to;  ///< The tensor that the layers read, and the one that they make.
  std::vector<std::int64_t> parts;  ///< At least two; number of channels or rows in each.

  bool operator==(const Split&) const = default;
};

/// A part of a model that runs without interruption: computes `outputs` from `inputs`. Tensors are
/// named as in tensor_texts().
struct Piece {
  std::string name;
  std::vector<std::string> inputs, outputs;

  bool operator==(const Piece&) const = default;
};

/// A Concat that no processor computes, because its inputs are contiguous in the memory of its
/// output: the dimensions before its axis are all 1.
struct Merge {
  /// A range of the axis, and the tensor written into it.
  struct Slice {
    std::string tensor;
    std::int64_t first = 0, count = 0;

    bool operator==(const Slice&) const = default;
  };
  std::string tensor;         ///< The output of the Concat.
  std::vector<Slice> slices;  ///< In the order of its inputs; together they cover the axis.

  bool operator==(const Merge&) const = default;
};

struct Step {
  enum class Kind { kRun, kSignal, kWait };
  Kind kind = Kind::kRun;
  /// Name of a piece, or of a flag that one program signals and others wait for.
  std::string name;

  bool operator==(const Step&) const = default;
};

/// The steps of one processor in each inference, in order.
struct Program {
  std::string processor;
  std::vector<Step> steps;

  bool operator==(const Program&) const = default;
};

struct Plan {
  std::string format;               ///< Format of the model: "onnx", "tflite".
  std::vector<std::string> layers;  ///< Structure of the model: layer_texts().
  std::vector<Processor> processors;
  /// Splits of the model's layers; pieces refer to the resulting layers.
  std::vector<Split> splits;
  std::vector<Piece> pieces;
  std::vector<Merge> merges;
  std::vector<Program> programs;  ///< At most one for each processor.
  /// How the plan was found: a JSON object, kept unchanged; "" for none.
  std::string found;

  bool operator==(const Plan&) const = default;
};

/// The name of each tensor if it is unique; if not, "#" and its index. Names that begin with "#" or
/// are not clean text are not used.
std::vector<std::string> tensor_texts(const model::Graph& graph);
/// Each layer as its operator, its inputs (without constants; "_" for an omitted input) and its
/// outputs: "Conv(input) -> conv1 float32[1,8,32,32]", with "[?]" for an unknown shape. Models with
/// equal texts differ only in constants and attributes.
std::vector<std::string> layer_texts(const model::Graph& graph);

inline constexpr std::size_t kMostPieces = 4096, kMostProcessors = 64, kMostSteps = 65'536;
inline constexpr std::size_t kMostPlanBytes = 64'000'000;
/// Largest Processor::emulated_slowdown: beyond that nothing would finish.
inline constexpr int kMostSlowdown = 1'000'000;

/// kUsage for a plan that is inconsistent for any model: unknown names (with the nearest known one)
/// or duplicate ones, a piece that is not run exactly once, a tensor with two makers, a flag that
/// is waited for but not signalled or signalled twice, deadlocked programs, overlapping slices,
/// more threads than CPUs. kLimit beyond the limits of this file.
Status check(const Plan& plan);

/// kUsage for a text that is not a plan: unknown, missing or duplicate keys, values of another
/// type; then as check(). kUnsupported for a later version of the format.
Result<Plan> read_plan(std::string_view text);
/// Same for a file; every error names it. A missing file is kUsage too: a plan is part of the
/// request, like an option.
Result<Plan> read_plan_file(const std::filesystem::path& path);
/// JSON with an indentation of two spaces and a final newline; read_plan() returns the same plan.
std::string to_json(const Plan& plan);

/// In the order of Split::Kind, as written in plans.
inline constexpr std::array kSplitKinds{"pair", "channels", "rows"};

inline const char* name(Split::Kind kind) { return kSplitKinds[static_cast<std::size_t>(kind)]; }

}  // namespace edgeprobe::stretch
