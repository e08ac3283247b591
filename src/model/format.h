// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "model/attributes.h"
#include "model/change.h"
#include "model/cut.h"
#include "model/foreign.h"
#include "model/graph.h"
#include "model/replace.h"

/// Interface to the model formats. All work on a model goes through functions that take its graph
/// and the bytes of its file: read_model(), promote(), constant(), attributes(), cut(). Format
/// differences are in the table below; Graph::format is for users, and for engines and tools that
/// take only one format.
namespace edgeprobe::model {

/// The format from which a graph was read; nothing for graphs of other formats.
std::optional<Format> format_of(const Graph& graph);

/// True if the format's specification defines the rounding of integer kernels, including bias and
/// accumulator, so that a layer can be judged without another engine. False for graphs that were
/// not read from a file.
bool prescribes_rounding(const Graph& graph);

/// Operations of a format. Free functions over values; common steps (checks of a request, traits)
/// are done by the caller.
struct FormatOperations {
  const char* name = "";  ///< Graph::format.
  bool prescribes_rounding = false;
  Result<Graph> (*read)(ByteView file, std::string_view label,
                        const std::filesystem::path& folder) = nullptr;
  /// read() without the hash.
  Result<Graph> (*parse)(ByteView file, std::string_view label,
                         const std::filesystem::path& folder) = nullptr;
  Result<Bytes> (*promote)(const Graph& graph, ByteView file,
                           const std::vector<int>& tensors) = nullptr;
  /// Null: files of the format always contain the types of their tensors.
  Result<Bytes> (*with_types)(const Graph& graph, ByteView file,
                              const std::vector<TensorSpec>& types) = nullptr;
  Result<Bytes> (*cut)(const Graph& graph, ByteView file, const Part& part) = nullptr;
  /// Null: cut() keeps nothing that its layers do not use.
  Result<Bytes> (*scrub)(const Graph& graph, ByteView file, ByteView before) = nullptr;
  /// Null: the format does not support changing scales.
  Status (*set_scale)(const Graph& graph, Bytes& file, int tensor, float scale,
                      std::int64_t zero_point) = nullptr;
  Result<std::vector<Attributes>> (*attributes)(const Graph& graph, ByteView file) = nullptr;
  /// Null: attributes() omits none.
  std::optional<AttributeValue> (*default_attribute)(const Layer& layer,
                                                     const std::string& name) = nullptr;
  /// In place; null: the format does not support changing attributes.
  Status (*set_attribute)(const Graph& graph, Bytes& file, const Change& change) = nullptr;
  /// Null: the format does not support replacing layers.
  Result<Bytes> (*replaced)(const Graph& graph, ByteView file,
                            const std::vector<Replacement>& replacements) = nullptr;
};

/// read_model() for reading only the graph: Graph::sha256 is "", and the file is not hashed, which
/// takes longer than the rest on a processor without instructions for it.
Result<Graph> read_unhashed(ByteView file, std::string_view label,
                            const std::filesystem::path& folder);

/// Results whose types follow neither from the file nor from their operators.
std::vector<int> untyped(const Graph& graph);
/// promote() for untyped(): the engine then reports their types as those of the copy's outputs.
Result<Bytes> promote_untyped(const Graph& graph, ByteView file);
/// A copy of the file that contains the dtypes of these tensors, by name; their shapes stay open.
/// kUnsupported for a format whose files always contain them.
Result<Bytes> with_types(const Graph& graph, ByteView file, const std::vector<TensorSpec>& types);

const FormatOperations& operations_of(Format format);
/// The operations of the format in Graph::format; kUnsupported for a graph that was not read from a
/// file of a known format.
Result<const FormatOperations*> operations_of(const Graph& graph);

}  // namespace edgeprobe::model
