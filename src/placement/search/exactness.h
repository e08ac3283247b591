// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "core/control.h"
#include "core/result.h"
#include "core/tensor.h"
#include "engine/engine.h"
#include "model/feeds.h"

namespace edgeprobe::placement {

/// How far one run of a model is from another one, over all outputs and inputs that were tried.
struct Difference {
  double relative = 0;  ///< Largest |d| over the largest |value| of that output.
  double absolute = 0;  ///< Largest |d|.
  std::size_t inputs = 0;
  std::size_t other_answer = 0;  ///< Inputs of which some output's largest element is another one.
  bool bit_equal = true;
  std::string worst;  ///< The output of `relative`.
};

/// As one JSON object with the names of its members.
std::string to_json(const Difference& difference);
/// For people: "none", or how many of the largest value.
std::string to_text(const Difference& difference);

/// The outputs of both for the same random inputs. kTarget when either fails.
Result<Difference> difference(engine::Session& session, engine::Session& reference,
                              const std::vector<model::Feed>& feeds, std::size_t inputs,
                              const Control& control);

/// The same for inputs that are given, each a list of tensors.
Result<Difference> difference(engine::Session& session, engine::Session& reference,
                              const std::vector<std::vector<Tensor>>& inputs,
                              const Control& control);

/// The largest relative difference of a plan from the whole model that counts as the same: sums of
/// floating-point numbers in another order.
inline constexpr double kSameRelative = 1e-5;
bool is_same(const Difference& difference);

/// Of one tensor: Difference::relative.
Result<double> relative_difference(const Tensor& mine, const Tensor& theirs);

}  // namespace edgeprobe::placement
