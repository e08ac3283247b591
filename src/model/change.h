// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/attributes.h"

namespace edgeprobe::model {

/// Name of a change that replaces the operator by another one; its value is the type, as text.
inline constexpr const char* kOperatorType = "op_type";

/// One change to an operator in a file.
struct Change {
  int layer = -1;
  std::string name;      ///< Name of the attribute in the file: "strides", "padding".
  AttributeValue value;  ///< As returned by attributes().
  /// The constant input to change instead, such as the upper limit of a Clip; -1: none.
  int input = -1;
};

/// The file with these changes; everything else, including weights and scales, is unchanged. An
/// attribute that the file omits, because it has its default, can also be set. .tflite: that
/// operator's option table is rewritten at the end of the file; an input is changed in place.
/// .onnx: the node is rewritten; an input becomes a separate initializer. Reads the file back:
/// kUnsupported for an attribute that the operator does not have, for a constant shared with
/// another operator (.tflite), and if anything else would change. kUsage if graph and file do not
/// match.
Result<Bytes> with_changes(const Graph& graph, ByteView file, const std::vector<Change>& changes);

}  // namespace edgeprobe::model
