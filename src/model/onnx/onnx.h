// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "model/attributes.h"
#include "model/change.h"
#include "model/cut.h"
#include "model/graph.h"
#include "model/replace.h"

namespace edgeprobe::model {

/// Reads a .onnx file from memory. Safe on any bytes, like read_model(). Only the nodes of the main
/// graph become layers; constants inside nodes are constants. Types and shapes missing from the
/// file (usual for intermediates) are inferred from known operators; a tensor whose type stays open
/// is kOther with the stored_type "unknown". int8 tensors have the parameters of the
/// QuantizeLinear, DequantizeLinear or QLinear operators at them. External data is read only from
/// `folder`: a path that leads out of it, by "..", from the root or through a link, is
/// kUnsupported, a missing file kNotFound, one that is too short kCorrupt. It is not read if
/// `folder` is empty.
Result<Graph> read_onnx(ByteView file, std::string_view label, const std::filesystem::path& folder);

/// read_onnx() without the hash of the file.
Result<Graph> parse_onnx(ByteView file, std::string_view label,
                         const std::filesystem::path& folder);

// The format operations (model/format.h) for a graph of an ONNX file; requests are already checked.
Result<Bytes> promote_onnx(const Graph& graph, ByteView file, const std::vector<int>& tensors);
Result<Bytes> with_types_onnx(const Graph& graph, ByteView file,
                              const std::vector<TensorSpec>& types);
Result<Bytes> cut_onnx(const Graph& graph, ByteView file, const Part& part);
Result<Bytes> replaced_onnx(const Graph& graph, ByteView file,
                            const std::vector<Replacement>& replacements);
Status set_scale_onnx(const Graph& graph, Bytes& file, int tensor, float scale,
                      std::int64_t zero_point);
Status set_attribute_onnx(const Graph& graph, Bytes& file, const Change& change);
Result<std::vector<Attributes>> attributes_onnx(const Graph& graph, ByteView file);
std::optional<AttributeValue> default_attribute_onnx(const Layer& layer, const std::string& name);

/// True if the operator returns a sequence, draws random numbers or runs its own graph, so that its
/// outputs do not follow from the values of its inputs; by Layer::type.
bool is_unsettled_onnx(std::string_view type);

}  // namespace edgeprobe::model
