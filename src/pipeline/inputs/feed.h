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

/// Recorded arrays as the inputs of a model.
namespace edgeprobe::pipeline {

/// A recorded array as the model input `wanted`. A leading dimension of 1 may be missing or too
/// many. Values of the very type pass as they are; real numbers are rounded to another float type,
/// or quantised (half away from zero, saturated); codes with a scale become real numbers for a
/// float input; whole numbers become another whole type where all of them fit. kUsage says what was
/// expected and found: another type or shape, NaN, a value that does not fit.
Result<Tensor> fit_array(const Tensor& given, const TensorSpec& wanted);
/// What of that is wrong whatever the values are.
Status check_array(const TensorSpec& given, const TensorSpec& wanted);

/// For each input of `inputs` the index of its array, by name, and where a name is no other's: by
/// the name without what converters put around it ("serving_default_x:0"), as "arr_2" by position,
/// or as the only one that is left. Nothing for an input without one; `optional` holds the
/// indices of those that need none. kUsage for an input that lacks its array and for an array that
/// is no input.
Result<std::vector<std::optional<std::size_t>>> arrays_of_inputs(
    const std::vector<TensorSpec>& arrays, const std::vector<TensorSpec>& inputs,
    const std::vector<std::size_t>& optional);

/// The same samples, with the scales of `inputs` on arrays that hold their codes: of the name and
/// the very type of a quantised input.
std::vector<dataset::Sample> with_scales(const std::vector<dataset::Sample>& samples,
                                         const std::vector<TensorSpec>& inputs);

/// An array of 8-bit pixels, [height, width, 3 or 1] with a leading 1 or without, as a picture.
Result<dataset::Picture> picture_from(const Tensor& array);

/// The tensor whose real values are all 0.
Tensor zeros(const TensorSpec& spec);

/// A name without what converters put around it: "serving_default_x:0" is x.
std::string bare_name(std::string name);

/// "float32 [1,4]".
std::string described(const TensorSpec& spec);

}  // namespace edgeprobe::pipeline
