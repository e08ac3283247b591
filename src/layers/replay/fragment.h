// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/engine.h"
#include "model/cut.h"

namespace edgeprobe::layers {

/// Where parts of models run: an open engine, borrowed, and its options.
struct Host {
  engine::Engine* engine = nullptr;
  engine::SessionOptions options;
};

/// A model file with its graph, both borrowed.
struct ModelFile {
  const model::Graph* graph = nullptr;
  ByteView bytes;
  const TensorSpec& spec(int tensor) const {
    return graph->tensors[static_cast<std::size_t>(tensor)].spec;
  }
};

/// A part of a model, loaded in a host engine. Many are opened one after another: they share engine
/// processes, so that a crash costs one fragment and the next one gets a new process.
class Fragment {
 public:
  /// `shapes` are those of its future input values, in the order of part.inputs: the file's own may
  /// be outdated.
  static Result<Fragment> open(const Host& host, const ModelFile& model, model::Part part,
                               const std::vector<Shape>& shapes);

  const model::Part& part() const { return part_; }
  /// For a part of a cut file: the same part with the indices of the original graph.
  void number_as(model::Part part) { part_ = std::move(part); }
  /// Inputs in the order of part().inputs, in the dtype of the model file. The outputs have the
  /// file's names and quantisation.
  Result<std::vector<Tensor>> run(const std::vector<TensorView>& inputs);

 private:
  Fragment(model::Part part, std::vector<TensorSpec> outputs,
           std::unique_ptr<engine::Session> session)
      : part_(std::move(part)), outputs_(std::move(outputs)), session_(std::move(session)) {}
  model::Part part_;
  std::vector<TensorSpec> outputs_;
  std::unique_ptr<engine::Session> session_;
};

}  // namespace edgeprobe::layers
