// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "layers/analysis.h"
#include "pipeline/spec.h"

namespace edgeprobe::diagnose {

/// A model with this number of layers; each reads the one before. "t0" is the input, layer i makes
/// "t<i + 1>".
inline model::Graph chain(int layers, const std::string& type = "CONV_2D") {
  model::Graph graph;
  for (int i = 0; i <= layers; ++i) {
    model::ModelTensor tensor;
    tensor.spec = {"t" + std::to_string(i), DType::kFloat32, {1, 4}, {}};
    graph.tensors.push_back(tensor);
  }
  for (int i = 0; i < layers; ++i) {
    model::Layer layer;
    layer.index = i;
    layer.type = type;
    layer.inputs = {i};
    layer.outputs = {i + 1};
    graph.layers.push_back(layer);
  }
  graph.inputs = {0};
  graph.outputs = {layers};
  return graph;
}

/// Row i of two such models.
inline layers::Row pair(int i) {
  layers::Row row;
  row.reference_layer = row.target_layer = row.counterpart = i;
  row.type = "CONV_2D";
  return row;
}

}  // namespace edgeprobe::diagnose
