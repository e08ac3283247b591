// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "model/graph.h"
#include "model/onnx/wire.h"

namespace edgeprobe::model::onnx {

/// The contents of the ValueInfo that declares `tensor` as an input or output of a graph.
/// `declared`, the contents of the file's own ValueInfo, are taken as they stand if they say all
/// that is known of the tensor; otherwise type and shape are written, with the file's symbolic
/// dimensions where the size is open. A tensor whose type is open gets a name alone.
std::string declaration(WireReader& reader, const ModelTensor& tensor, std::optional<Run> declared);

/// Whether declaration() gives the tensor a type, without which it can be no input.
bool has_type(WireReader& reader, const ModelTensor& tensor, std::optional<Run> declared);

}  // namespace edgeprobe::model::onnx
