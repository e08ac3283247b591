// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/attributes.h"
#include "model/change.h"
#include "model/cut.h"
#include "model/graph.h"
#include "model/tflite/flatbuffer.h"

namespace edgeprobe::model {

/// A graph with the file offsets that promote() patches.
struct TfliteFile {
  Graph graph;             ///< Without sha256.
  std::size_t root = 0;    ///< Offset of the model's table.
  std::size_t vtable = 0;  ///< Offset of the model's vtable, which other tables may share.
  std::size_t vtable_size = 0;
  /// Offset of the reference to the main graph's outputs; 0 if absent.
  std::size_t outputs_slot = 0;
};

Result<TfliteFile> parse_tflite(ByteView file, std::string_view label);

/// Reads a .tflite file from memory. Safe on any bytes: fails with kCorrupt (naming the field and
/// the offset), kUnsupported (ONNX, a Git LFS pointer, another schema version, …) or kLimit (more
/// than 32 dimensions; tables that share their contents until reading exceeds 16 times the file).
/// Time and memory are linear in the size of the file. Constants whose bytes do not match their
/// shape are kCorrupt. Only the first subgraph becomes layers; the others (IF and WHILE bodies) are
/// checked and counted.
Result<Graph> read_tflite(ByteView file, std::string_view label);

// The format operations (model/format.h) for a graph of a .tflite file; requests are already
// checked.
Result<Bytes> promote_tflite(const Graph& graph, ByteView file, const std::vector<int>& tensors);
/// See scrub() in model/cut.h.
Result<Bytes> scrub_tflite(const Graph& graph, ByteView file, ByteView before);
Result<Bytes> cut_tflite(const Graph& graph, ByteView file, const Part& part);
Status set_scale_tflite(const Graph& graph, Bytes& file, int tensor, float scale,
                        std::int64_t zero_point);
Status set_attribute_tflite(const Graph& graph, Bytes& file, const Change& change);
Result<std::vector<Attributes>> attributes_tflite(const Graph& graph, ByteView file);

}  // namespace edgeprobe::model
