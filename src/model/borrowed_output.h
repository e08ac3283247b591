// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/graph.h"

namespace edgeprobe::model {

/// Describes the graph's first output that no operator computes: "'x', which is also an input", a
/// constant, or listed twice. "" if operators compute all outputs.
std::string borrowed_output(const Graph& graph);

/// A note for users of a model with a borrowed_output(): which engine runs the .tflite file; "" for
/// other models.
std::string borrowed_output_note(const Graph& graph);

}  // namespace edgeprobe::model
