// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/graph.h"

namespace edgeprobe::model {

/// The name of the first tensor that keeps its values from one inference to the next (LSTM, SVDF);
/// "" for a model without one.
std::string variable_tensor_of(const Graph& graph);

/// variable_tensor_of(), or the name of the first resource variable that the main graph assigns
/// (streaming models of Keras); "" for a model without state.
std::string state_of(const Graph& graph);

/// True if the layer reads or writes state that persists between inferences, so that it cannot be
/// run by itself.
bool touches_state(const Graph& graph, const Layer& layer);

/// A note on the effect of a state on a model's answers; "" for a model without one.
std::string state_note(const Graph& graph);

}  // namespace edgeprobe::model
