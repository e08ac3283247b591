// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "model/graph.h"
#include "model/onnx/wire.h"

namespace edgeprobe::model::onnx {

/// The contents of the ValueInfo that declares `tensor` as an input or output of a graph. If
/// `declared`, the contents of the file's own ValueInfo, already has everything known about the
/// tensor, it is returned unchanged; else type and shape are written, with the file's symbolic
/// dimensions for open sizes. A tensor whose type is open gets only a name.
std::string declaration(WireReader& reader, const ModelTensor& tensor, std::optional<Run> declared);

/// True if declaration() gives the tensor a type, which an input requires.
bool has_type(WireReader& reader, const ModelTensor& tensor, std::optional<Run> declared);

}  // namespace edgeprobe::model::onnx
