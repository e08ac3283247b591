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

/// Difference between two runs of a model, over all outputs and tested inputs.
struct Difference {
  double relative = 0;  ///< Largest |d| relative to the largest |value| of that output.
  double absolute = 0;  ///< Largest |d|.
  std::size_t inputs = 0;
  /// Inputs for which the largest element of some output has another index.
  std::size_t other_answer = 0;
  bool bit_equal = true;
  std::string worst;  ///< The output with the largest `relative`, or the largest `excess`.
  /// Largest |d| relative to what counts as equal: kSameRelative of the largest value, or
  /// kOwnNoise times the reference's own noise if that is more. Up to 1: equal.
  double excess = 0;
  /// Largest noise of the reference relative to the largest value, over outputs; 0: not measured.
  double own = 0;
};

/// Largest |d| of each output between the reference and itself with other optimisations, which
/// only rounds. Where an output is near zero, that is far above kSameRelative of its values.
using OwnNoise = std::vector<double>;
inline constexpr double kOwnNoise = 4;

/// One JSON object with the members' names.
std::string to_json(const Difference& difference);
/// For display: "none", or the size relative to the largest value.
std::string to_text(const Difference& difference);

/// Compares the outputs of both sessions for the same random inputs. kTarget if either fails.
Result<Difference> difference(engine::Session& session, engine::Session& reference,
                              const std::vector<model::Feed>& feeds, std::size_t inputs,
                              const Control& control);

/// Compares their outputs for given inputs, each a list of tensors.
Result<Difference> difference(engine::Session& session, engine::Session& reference,
                              const std::vector<std::vector<Tensor>>& inputs,
                              const Control& control, const OwnNoise& noise = {});

/// Noise of the reference, from a second session of it. kTarget if either fails.
Result<OwnNoise> own_noise(engine::Session& reference, engine::Session& again,
                           const std::vector<std::vector<Tensor>>& inputs, const Control& control);

/// Random inputs in the form of a session's, `count` lists of tensors.
Result<std::vector<std::vector<Tensor>>> random_lists(const engine::Session& session,
                                                      const std::vector<model::Feed>& feeds,
                                                      std::size_t count);

/// Largest relative difference at which a plan counts as equal to the whole model: floating-point
/// sums in another order cause it.
inline constexpr double kSameRelative = 1e-5;
bool is_same(const Difference& difference);

/// Difference::relative for one tensor.
Result<double> relative_difference(const Tensor& mine, const Tensor& theirs);

}  // namespace edgeprobe::placement
