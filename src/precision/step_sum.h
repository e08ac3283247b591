// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "model/attributes.h"
#include "model/graph.h"
#include "precision/step/step.h"
#include "precision/step/tail.h"
#include "precision/sums/number_format.h"
#include "precision/sums/sum.h"

namespace edgeprobe::precision {

/// The operator at the head of a step, with its fused operators.
struct Head {
  const model::Graph& graph;
  const model::Layer& layer;
  const model::Attributes& attributes;
  const Tail& tail;
};

/// Sums of `head`, emulated in a scheme, from `known` inputs and the constants of `file`; without a
/// scheme in float32, for comparison with the engine's result. The error states why they are not
/// emulated.
Result<Summed> step_sum(const Head& head, const Values& known, ByteView file, const Shape& output,
                        std::optional<Scheme> scheme);

/// True if float32 sums differ from the engine's only by the order of their terms.
bool is_same_sum(const std::vector<float>& own, const std::vector<float>& engine);

}  // namespace edgeprobe::precision
