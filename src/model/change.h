// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/attributes.h"

namespace edgeprobe::model {

/// The name of a change that makes an operator another one; its value is the type, as text.
inline constexpr const char* kOperatorType = "op_type";

/// One thing that a file is to say otherwise of how an operator computes.
struct Change {
  int layer = -1;
  std::string name;      ///< Of the attribute, in the file's own words: "strides", "padding".
  AttributeValue value;  ///< As attributes() would give it.
  /// The constant input that says it instead, such as the highest value of a Clip; -1: none.
  int input = -1;
};

/// The file with these changes; all else, weights and scales included, stays as it is. An attribute
/// that the file leaves out, because it has its default, can be set as well.
/// .tflite: the table of options of that one operator is written anew behind the file; an input is
/// changed in place. .onnx: the node is written anew; an input becomes an initializer of its own.
/// The file is read back: kUnsupported for an attribute that the operator does not have there, for
/// a constant that another operator shares (.tflite), and when anything else would change. kUsage
/// when graph and file do not belong together.
Result<Bytes> with_changes(const Graph& graph, ByteView file, const std::vector<Change>& changes);

}  // namespace edgeprobe::model
