#pragma once

#include <filesystem>
#include <string_view>

#include "model/graph.h"

namespace edgeprobe::model {

/// read_onnx() without the hash of the file.
Result<Graph> parse_onnx(ByteView file, std::string_view label, const std::filesystem::path& folder);

/// promote() for a graph of an ONNX file.
Result<Bytes> promote_onnx(const Graph& graph, ByteView file, const std::vector<int>& tensors);

/// Whether the operator answers a sequence, draws random numbers or runs a graph of its own, so that its outputs do not follow
/// from the values of its inputs; by Layer::type.
bool is_unsettled_onnx(std::string_view type);

}  // namespace edgeprobe::model
