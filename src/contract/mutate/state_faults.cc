// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "contract/mutate/catalogue.h"
#include "pipeline/carry.h"

namespace edgeprobe::contract {
namespace {

constexpr const char* kState = "state";

bool are_alike(const TensorSpec& a, const TensorSpec& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.quantization == b.quantization;
}

}  // namespace

void add_state_faults(const pipeline::Pipeline& pipeline, Catalogue& into) {
  if (pipeline.states.empty() && !pipeline::keeps_state(pipeline)) return;
  into.unplanted.push_back({kState, "kept, late, or not set back where a sequence begins",
                            pipeline.states.empty() ? "the engine keeps the state in the model"
                                                    : "edgeprobe carries the states itself"});
  const auto& inputs = pipeline.session->inputs();
  for (std::size_t i = 0; i < pipeline.states.size(); ++i)
    for (std::size_t j = i + 1; j < pipeline.states.size(); ++j) {
      if (!are_alike(inputs[pipeline.states[i].input], inputs[pipeline.states[j].input])) continue;
      auto exchanged = pipeline.states;
      std::swap(exchanged[i].output, exchanged[j].output);
      into.faults.push_back(
          {kState, "two states exchanged", pipeline.recipe, std::move(exchanged)});
      return;  // One pair is enough: a model with fifty states has too many.
    }
}

}  // namespace edgeprobe::contract
