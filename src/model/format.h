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

/// The seam over the formats. All that is done with a model goes through functions that take its
/// graph and the bytes of its file: read_model(), promote(), constant(), attributes(), cut(). What
/// differs by format is in the table below; Graph::format is for people, and for engines and tools
/// that take one format alone.
namespace edgeprobe::model {

/// The format that a graph was read from; nothing for graphs of other formats.
std::optional<Format> format_of(const Graph& graph);

/// Whether the format's own specification says how integer kernels round, bias and accumulator
/// included, so that a layer can be judged by itself, without another engine. False for graphs that
/// were not read from a file.
bool prescribes_rounding(const Graph& graph);

/// What a format does. Free functions over values; common steps (checks of a request, traits) are
/// done before.
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
  /// Null: files of the format always tell the types of their tensors.
  Result<Bytes> (*with_types)(const Graph& graph, ByteView file,
                              const std::vector<TensorSpec>& types) = nullptr;
  Result<Bytes> (*cut)(const Graph& graph, ByteView file, const Part& part) = nullptr;
  /// Null: cut() keeps nothing that its layers do not use.
  Result<Bytes> (*scrub)(const Graph& graph, ByteView file, ByteView before) = nullptr;
  /// Null: scales of the format are not changed.
  Status (*set_scale)(const Graph& graph, Bytes& file, int tensor, float scale,
                      std::int64_t zero_point) = nullptr;
  Result<std::vector<Attributes>> (*attributes)(const Graph& graph, ByteView file) = nullptr;
  /// Null: attributes() leaves none out.
  std::optional<AttributeValue> (*default_attribute)(const Layer& layer,
                                                     const std::string& name) = nullptr;
  /// In place; null: attributes of the format are not changed.
  Status (*set_attribute)(const Graph& graph, Bytes& file, const Change& change) = nullptr;
  /// Null: layers of the format are not replaced.
  Result<Bytes> (*replaced)(const Graph& graph, ByteView file,
                            const std::vector<Replacement>& replacements) = nullptr;
};

/// read_model() for a look at the graph: Graph::sha256 is "", and the file is not hashed, which
/// takes longer than all else where a processor has no instructions for it.
Result<Graph> read_unhashed(ByteView file, std::string_view label,
                            const std::filesystem::path& folder);

/// Results whose types neither the file nor their operators tell.
std::vector<int> untyped(const Graph& graph);
/// promote() for those: what an engine says of the copy's outputs is what they are.
Result<Bytes> promote_untyped(const Graph& graph, ByteView file);
/// A copy of the file that tells the dtypes of these tensors, by name; their shapes stay open.
/// kUnsupported for a format whose files tell them always.
Result<Bytes> with_types(const Graph& graph, ByteView file, const std::vector<TensorSpec>& types);

const FormatOperations& operations_of(Format format);
/// By Graph::format; kUnsupported for a graph that was not read from a file of one of them.
Result<const FormatOperations*> operations_of(const Graph& graph);

}  // namespace edgeprobe::model
