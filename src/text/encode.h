// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "text/front_end.h"

namespace edgeprobe::text {

/// What the front end makes of tokens. A pair is cut as `longest_first` of Hugging Face: the longer
/// text gives first. Front ends whose special ids alone pass the limit give these, cut.
Encoding encode(const FrontEnd& front_end, const Tokens& tokens);

/// The four integer inputs of text models.
enum class Role { kIds, kMask, kTypes, kPositions };
const char* name(Role role);  ///< "ids", "mask", "types", "positions".

/// The role that the words in an input's name tell: "attention_mask", "segment_ids",
/// "position_ids"; ids for any other.
Role role_by_words(const std::string& input);

/// The role of each model input: by the names that the front end gives, else by the words in its
/// own ("attention_mask", "segment_ids", "position_ids"); the one input without such a word holds
/// the ids. kUsage when an input is left, is missing, or two fit.
Result<std::vector<Role>> roles_of(const std::vector<std::string>& inputs,
                                   const FrontEnd& front_end);

/// Which values of an encoding an input takes.
const std::vector<std::int64_t>& values_of(const Encoding& encoding, Role role);

/// Values as the tensor of that spec, of shape [N] or [1, N]; an open dimension is the number of
/// values. Integers, or float32 and float64 that hold them exactly. kUsage for another shape or
/// type, and for an id beyond the type's range.
Result<Tensor> as_tensor(const std::vector<std::int64_t>& values, const TensorSpec& spec);
/// Back: the values of a recorded tensor. kUsage for real numbers with a fraction.
Result<std::vector<std::int64_t>> integers_of(const TensorView& tensor);

}  // namespace edgeprobe::text
