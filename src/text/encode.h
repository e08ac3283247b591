// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "text/front_end.h"

namespace edgeprobe::text {

/// Applies the front end to tokens. A pair is truncated like Hugging Face's `longest_first`: the
/// longer text first. If the special ids by themselves exceed the limit, returns only these,
/// truncated.
Encoding encode(const FrontEnd& front_end, const Tokens& tokens);

/// The four integer inputs of text models.
enum class Role { kIds, kMask, kTypes, kPositions };
const char* name(Role role);  ///< "ids", "mask", "types", "positions".

/// The role indicated by words in an input's name: "attention_mask", "segment_ids", "position_ids";
/// ids for any other.
Role role_by_words(const std::string& input);

/// The role of each model input: by the names given in the front end, or else by words in its own
/// name ("attention_mask", "segment_ids", "position_ids"); the one input without these words holds
/// the ids. kUsage if an input is unassigned, missing or ambiguous.
Result<std::vector<Role>> roles_of(const std::vector<std::string>& inputs,
                                   const FrontEnd& front_end);

/// The values of an encoding for an input with this role.
const std::vector<std::int64_t>& values_of(const Encoding& encoding, Role role);

/// Converts values to a tensor with that spec, of shape [N] or [1, N]; an open dimension becomes
/// the number of values. Integers, or float32 and float64 if these hold them exactly. kUsage for
/// another shape or type, and for an id out of the type's range.
Result<Tensor> as_tensor(const std::vector<std::int64_t>& values, const TensorSpec& spec);
/// The inverse of as_tensor(): the values of a recorded tensor. kUsage for numbers with a fraction.
Result<std::vector<std::int64_t>> integers_of(const TensorView& tensor);

}  // namespace edgeprobe::text
