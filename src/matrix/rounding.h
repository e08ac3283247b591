// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bytes.h"
#include "core/control.h"
#include "engine/engine.h"
#include "model/graph.h"

namespace edgeprobe::matrix {

/// An engine that ran the plain model, with its inputs and outputs frame by frame.
struct Lane {
  engine::Engine* engine = nullptr;
  engine::SessionOptions session;
  const std::vector<std::vector<Tensor>>* inputs = nullptr;
  const std::vector<std::vector<Tensor>>* outputs = nullptr;
};

/// True if every layer of `judged` matches the kernels of `host` on that layer's own inputs, up to
/// rounding (the limits of docs/internals/diagnosis.md): then only accumulated rounding separates
/// the two. False also if this cannot be determined: a layer that does not run separately, more
/// than `budget` bytes of intermediates, outputs that move when layers are outputs, a format other
/// than .tflite.
bool only_rounding(const model::Graph& graph, ByteView file, const std::string& label,
                   const Lane& host, const Lane& judged, std::size_t budget,
                   const Control& control);

}  // namespace edgeprobe::matrix
