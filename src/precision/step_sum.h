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

/// The operator at the head of a step, with what engines put into it.
struct Head {
  const model::Graph& graph;
  const model::Layer& layer;
  const model::Attributes& attributes;
  const Tail& tail;
};

/// Its sums, emulated in a scheme, on inputs that are `known` and the constants of `file`; without
/// a scheme in float32, to be held against what the engine made of it. The error says why they are
/// not.
Result<Summed> step_sum(const Head& head, const Values& known, ByteView file, const Shape& output,
                        std::optional<Scheme> scheme);

/// Whether float32 sums differ from the engine's by the order of their terms alone.
bool is_same_sum(const std::vector<float>& own, const std::vector<float>& engine);

}  // namespace edgeprobe::precision
