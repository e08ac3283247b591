// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "model/graph.h"

namespace edgeprobe::compare {

/// An attribute of an operator that two files give other values, as texts (model/attributes.h).
struct AttributeDifference {
  std::string name, reference, target;
};

/// Attributes in which two operators of one type and one format compute otherwise, by name, and
/// constant inputs of up to 16 numbers that are no weights, such as the limits of a Clip. What a
/// file leaves out has the operator's default; attributes that change no result (names, momentum
/// of training, the kernel's shape that the weights have anyway) are left out. Empty for operators
/// of two types or two formats. Fails as model::attributes().
Result<std::vector<AttributeDifference>> attribute_differences(
    const model::Graph& reference, ByteView reference_file, int reference_layer,
    const model::Graph& target, ByteView target_file, int target_layer);

}  // namespace edgeprobe::compare
