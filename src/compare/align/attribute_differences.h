// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "model/graph.h"

namespace edgeprobe::compare {

/// An attribute with different values in two files, as texts (model/attributes.h).
struct AttributeDifference {
  std::string name, reference, target;
};

/// Attributes in which two operators of one type and format differ, by name, and constant inputs of
/// up to 16 values that are not weights, such as the limits of a Clip. An omitted attribute has the
/// operator's default. Excludes attributes without effect (names, training momentum, a kernel shape
/// that the weights imply). Empty for two types or two formats. Fails as model::attributes().
Result<std::vector<AttributeDifference>> attribute_differences(
    const model::Graph& reference, ByteView reference_file, int reference_layer,
    const model::Graph& target, ByteView target_file, int target_layer);

}  // namespace edgeprobe::compare
