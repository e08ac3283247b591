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

/// Which processor runs which part of a model, and when: a file that suits every model of one
/// structure, whatever its weights (docs/reference/plan.md).
namespace edgeprobe::stretch {

/// Something that runs parts of a model: an engine on some CPUs.
struct Processor {
  std::string name;
  std::string engine;  ///< As --engine has it: "onnxruntime", "litert:/path/libLiteRt.so".
  std::vector<int>
      cpus;         ///< At least one, counted from 0, ascending; its own thread runs there too.
  int threads = 1;  ///< Of the engine; at most as many as CPUs.
  /// Makes it so many times as slow, where a slower processor can only be imitated; at least 1.
  double emulated_slowdown = 1;
  /// What takes operators from the engine, as --delegate has it, e.g. the execution provider of a
  /// GPU; "": nothing.
  std::string delegate = {};

  bool operator==(const Processor&) const = default;
};

/// Layers that are computed in parts, so that processors can share them: each part has its share of
/// the weights. To pieces the parts are layers like others, whose tensors have "/part1", "/part2"
/// behind their names.
struct Split {
  enum class Kind {
    kPair,      ///< A layer's output channels, and of the next one as many input channels: a sum.
    kChannels,  ///< Output channels: a Concat.
    kRows,      ///< Rows of the last tensor, with the rows of all others that they need.
  };
  Kind kind = Kind::kPair;
  std::string from, to;  ///< The tensor that the layers read, and the one that they make.
  std::vector<std::int64_t> parts;  ///< At least two; channels or rows of each.

  bool operator==(const Split&) const = default;
};

/// A part of a model that runs without a break: what computes `outputs` from `inputs`. Tensors are
/// named as tensor_text() has them.
struct Piece {
  std::string name;
  std::vector<std::string> inputs, outputs;

  bool operator==(const Piece&) const = default;
};

/// A Concat that no processor computes, because its inputs lie one behind the other in the memory
/// of its output: the dimensions before its axis are all 1.
struct Merge {
  /// A range of the axis, and what is written into it.
  struct Slice {
    std::string tensor;
    std::int64_t first = 0, count = 0;

    bool operator==(const Slice&) const = default;
  };
  std::string tensor;         ///< The output of the Concat.
  std::vector<Slice> slices;  ///< In the order of its inputs; together the whole axis.

  bool operator==(const Merge&) const = default;
};

struct Step {
  enum class Kind { kRun, kSignal, kWait };
  Kind kind = Kind::kRun;
  std::string name;  ///< Of a piece, or of a flag that one program signals and others wait for.

  bool operator==(const Step&) const = default;
};

/// What one processor does in each inference, from the first step to the last.
struct Program {
  std::string processor;
  std::vector<Step> steps;

  bool operator==(const Program&) const = default;
};

struct Plan {
  std::string format;               ///< Of the model: "onnx", "tflite".
  std::vector<std::string> layers;  ///< Its structure: layer_text() of each layer.
  std::vector<Processor> processors;
  std::vector<Split> splits;  ///< Of layers of the model; pieces are of what they make.
  std::vector<Piece> pieces;
  std::vector<Merge> merges;
  std::vector<Program> programs;  ///< At most one a processor.
  /// How it was found: a JSON object that is kept as it stands; "" for none.
  std::string found;

  bool operator==(const Plan&) const = default;
};

/// The name of each tensor, where no other tensor has it; else "#" and its index. Names that begin
/// with "#" or are no clean text count as none.
std::vector<std::string> tensor_texts(const model::Graph& graph);
/// Each layer as its operator, what it reads (constants left out, "_" for an input that is left
/// open) and what it makes: "Conv(input) -> conv1 float32[1,8,32,32]", with "[?]" where the shape
/// is not known. Models of equal texts differ in constants and attributes alone.
std::vector<std::string> layer_texts(const model::Graph& graph);

inline constexpr std::size_t kMostPieces = 4096, kMostProcessors = 64, kMostSteps = 65'536;
inline constexpr std::size_t kMostPlanBytes = 64'000'000;

/// kUsage for a plan whose parts do not go together whatever the model: names that are unknown
/// (with the nearest known one) or stand twice, a piece that is not run exactly once, a tensor that
/// two pieces make, a flag that is waited for and never signalled or signalled twice, programs that
/// wait for each other, slices that overlap, more threads than CPUs. kLimit above the numbers
/// above.
Status check(const Plan& plan);

/// kUsage for a text that is no plan: keys that are unknown, missing or there twice, values of
/// another type; then as check(). kUnsupported for a later version of the format.
Result<Plan> read_plan(std::string_view text);
/// The same of a file; every error names it. kUsage for one that is not there, too: a plan is part
/// of what was asked for, as an option is.
Result<Plan> read_plan_file(const std::filesystem::path& path);
/// With two spaces of indentation and a line end; read_plan() gives the same plan.
std::string to_json(const Plan& plan);

/// In the order of Split::Kind, as plans write them.
inline constexpr std::array kSplitKinds{"pair", "channels", "rows"};

inline const char* name(Split::Kind kind) { return kSplitKinds[static_cast<std::size_t>(kind)]; }

}  // namespace edgeprobe::stretch
