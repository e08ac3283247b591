// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/graph.h"

namespace edgeprobe::model {

/// The first output of the graph that no operator makes for it, in words: "'x', which is also an
/// input", a constant, or listed twice. "" where every output is some operator's.
std::string borrowed_output(const Graph& graph);

/// Which engine runs such a .tflite, for whoever reads its outputs; "" for other models.
std::string borrowed_output_note(const Graph& graph);

}  // namespace edgeprobe::model
