// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/bytes.h"
#include "engine/binding.h"
#include "model/graph.h"

namespace edgeprobe::engine::tflite {

/// True if every shape follows from those of the inputs before the first run: no operator computes
/// one. Returns false in doubt.
bool shapes_are_fixed(const model::Graph& graph);

/// True if the interpreter of a .tflite file can compute in these places, one for each input and
/// output of its graph, as safely as in its own memory.
bool can_compute_in_place(const model::Graph& graph, const std::vector<Place>& inputs,
                          const std::vector<Place>& outputs);
/// can_compute_in_place() for a file; false if it cannot be read.
bool can_compute_in_place(ByteView file, const std::vector<Place>& inputs,
                          const std::vector<Place>& outputs);

}  // namespace edgeprobe::engine::tflite
