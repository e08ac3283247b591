// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bytes.h"
#include "core/control.h"
#include "engine/engine.h"
#include "model/graph.h"

namespace edgeprobe::matrix {

/// An engine that ran the plain model, and what went in and came out, frame by frame.
struct Lane {
  engine::Engine* engine = nullptr;
  engine::SessionOptions session;
  const std::vector<std::vector<Tensor>>* inputs = nullptr;
  const std::vector<std::vector<Tensor>>* outputs = nullptr;
};

/// Whether every layer of `judged` gives what the kernels of `host` make of that layer's own
/// inputs, up to rounding (the limits of docs/internals/diagnosis.md): then rounding that adds up
/// is all that lies between the two. False also where that cannot be told: a layer that does not
/// run alone, more than `budget` bytes of intermediates, outputs that move when layers are outputs,
/// a format other than .tflite.
bool only_rounding(const model::Graph& graph, ByteView file, const std::string& label,
                   const Lane& host, const Lane& judged, std::size_t budget,
                   const Control& control);

}  // namespace edgeprobe::matrix
