#pragma once

#include "model/cut.h"

namespace edgeprobe::model {

/// cut() for a graph of an ONNX file.
Result<Bytes> cut_onnx(const Graph& graph, ByteView file, const Part& part);

}  // namespace edgeprobe::model
