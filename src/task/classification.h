// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/tensor.h"
#include "task/annotation.h"

namespace edgeprobe::task {

/// Indices of the k largest values, largest first. Of equal values, the lower index comes first.
/// NaN never ranks above a number. Fewer than k if there are fewer values.
std::vector<int> top_k(const std::vector<float>& values, std::size_t k);

/// The class with the largest score (lowest index of equal ones); -1 if all scores are NaN.
int top_1(const std::vector<float>& values);

/// The output that holds one score for each class: the last one with at least two numbers on one
/// axis and 1 on all others, such as [1,1001], [10] or [1,1,1,2]. An open (-1) first dimension
/// counts as 1.
std::optional<std::size_t> class_output(const std::vector<TensorSpec>& outputs);

/// True if an accepted class of the annotation is among the k best; false if all values are NaN.
bool is_among(const std::vector<float>& values, std::size_t k, const Annotation& annotation);

/// True if the values can be probabilities of exclusive classes: none outside 0..1, sum 1. `step`
/// is the quantisation step of the tensor (0 for float): each value may be off by half of it.
bool are_probabilities(const std::vector<float>& values, double step);

/// Largest value minus the second largest: how close the decision is. 0 for fewer than two values.
double margin(const std::vector<float>& values);

}  // namespace edgeprobe::task
