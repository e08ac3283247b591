// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/result.h"
#include "model/attributes.h"
#include "precision/int8/plan.h"
#include "precision/step/step.h"
#include "precision/step/tail.h"

namespace edgeprobe::precision {

/// Writes into `file` what is left of the constants: weights by output channel or as a whole, with
/// a batch norm in them, biases in steps of input times weight, other operands as a whole.
Status quantise_constants(const model::Graph& graph, ByteView original,
                          const std::vector<model::Attributes>& attributes,
                          const std::vector<Step>& steps, const std::vector<Tail>& tails,
                          const Int8& plan, Bytes& file);

}  // namespace edgeprobe::precision
