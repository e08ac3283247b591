// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "dataset/raw_input.h"
#include "dataset/sample.h"

/// Feeds recorded arrays to a model's inputs.
namespace edgeprobe::pipeline {

/// Converts a recorded array to the model input `wanted`. A leading dimension of 1 may be missing
/// or extra. Values of the same type pass unchanged; real numbers are rounded to another float
/// type, or quantised (half away from zero, saturated); codes with a scale become real numbers for
/// a float input; integers become another integer type if all of them fit. kUsage states what was
/// expected and found: another type or shape, NaN, or a value that does not fit.
Result<Tensor> fit_array(const Tensor& given, const TensorSpec& wanted);
/// Checks the parts of fit_array() that do not depend on the values: type and shape.
Status check_array(const TensorSpec& given, const TensorSpec& wanted);

/// Returns for each of `inputs` the index of its array. Matches by name; where that is ambiguous,
/// by the name without converters' decoration ("serving_default_x:0"), by position ("arr_2"), or as
/// the only one left. Empty for an input without an array; `optional` holds the indices of inputs
/// that need none. kUsage for an input that lacks its array and for an array that matches no input.
Result<std::vector<std::optional<std::size_t>>> arrays_of_inputs(
    const std::vector<TensorSpec>& arrays, const std::vector<TensorSpec>& inputs,
    const std::vector<std::size_t>& optional);

/// Returns the same samples, with the scales of `inputs` added to arrays that hold their codes:
/// arrays with the name and exact type of a quantised input.
std::vector<dataset::Sample> with_scales(const std::vector<dataset::Sample>& samples,
                                         const std::vector<TensorSpec>& inputs);

/// Reads an array of 8-bit pixels, [height, width, 3 or 1] with or without a leading 1, as a
/// picture.
Result<dataset::Picture> picture_from(const Tensor& array);

/// Returns the tensor whose real values are all 0.
Tensor zeros(const TensorSpec& spec);

/// Returns the name without converters' decoration: "serving_default_x:0" becomes x.
std::string bare_name(std::string name);

/// For example "float32 [1,4]".
std::string described(const TensorSpec& spec);

}  // namespace edgeprobe::pipeline
