// SPDX-License-Identifier: Apache-2.0
// Messages of an ONNX file, written from values.
#pragma once

#include <string>

#include "core/tensor.h"
#include "model/attributes.h"
#include "model/replace.h"

namespace edgeprobe::model::onnx {

// AttributeProto; empty for a value other than numbers and text.
std::string written_attribute(const std::string& name, const AttributeValue& value);

// TensorProto with its values as raw bytes; empty for a type that ONNX lacks.
std::string written_tensor(const edgeprobe::Tensor& tensor);

// ValueInfoProto of a tensor; empty in the same cases as written_tensor().
std::string written_value_info(const TensorSpec& spec);

// written_value_info() without a shape, which stays open.
std::string written_value_type(const std::string& name, DType dtype);

// NodeProto; empty if an attribute cannot be written.
std::string written_node(const NewLayer& layer);

}  // namespace edgeprobe::model::onnx
