// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/answer/beyond.h"

#include "diagnose/preprocessing/answer/chains.h"
#include "diagnose/preprocessing/answer/memory_order.h"
#include "diagnose/preprocessing/answer/value_table.h"

namespace edgeprobe::diagnose {

std::optional<Beyond> beyond_recipes(std::vector<Frame>& frames,
                                     const std::vector<Explanation>& explanations,
                                     const Consensus& nearest, const Reference& reference,
                                     const Hypothesis& own) {
  if (auto found = explain_by_memory(frames, reference, own)) return found;
  if (auto found = explain_by_own_ranges(frames, explanations, reference, own)) return found;
  if (auto found = explain_by_table(frames, nearest, reference, own)) return found;
  return explain_by_chain(frames, reference, own);
}

}  // namespace edgeprobe::diagnose
