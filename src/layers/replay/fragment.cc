// SPDX-License-Identifier: Apache-2.0
#include "layers/replay/fragment.h"

#include <filesystem>

#include "core/text.h"

namespace edgeprobe::layers {

Result<Fragment> Fragment::open(const Host& host, const ModelFile& model, model::Part part,
                                const std::vector<Shape>& shapes) {
  EP_TRY(auto file, model::cut(*model.graph, model.bytes, part));
  engine::SessionOptions options = host.options;
  options.shared_process = true;
  // External weights stay in their files.
  if (!model.graph->folder.empty()) options.folder = std::filesystem::absolute(model.graph->folder);
  options.profile = false;
  options.input_shapes.clear();
  for (std::size_t i = 0; i < part.inputs.size() && i < shapes.size(); ++i) {
    const TensorSpec& stored = model.spec(part.inputs[i]);
    if (stored.shape != shapes[i]) options.input_shapes[stored.name] = shapes[i];
  }
  const std::string label = part.layers.size() == 1
                                ? "layer " + std::to_string(part.layers.front())
                                : "layers " + std::to_string(part.layers.front()) + " to " +
                                      std::to_string(part.layers.back());
  auto session = host.engine->load(file, label, options);
  if (!session) {
    // The cut was verified: an engine that calls it damaged does not support it.
    Error refused = std::move(session.error());
    if (refused.kind == ErrorKind::kCorrupt) refused.kind = ErrorKind::kTarget;
    return refused;
  }
  if ((*session)->inputs().size() != part.inputs.size() ||
      (*session)->outputs().size() != part.outputs.size())
    return Error{ErrorKind::kTarget,
                 label + ": the engine shows other inputs or outputs than the part has"};
  std::vector<TensorSpec> outputs;
  for (const int tensor : part.outputs) outputs.push_back(model.spec(tensor));
  return Fragment(std::move(part), std::move(outputs), *std::move(session));
}

Result<std::vector<Tensor>> Fragment::run(const std::vector<TensorView>& inputs) {
  // The engine's specs differ from the recorded ones in names and the form of equal shapes; only
  // the bytes matter.
  std::vector<TensorView> fed;
  for (std::size_t i = 0; i < inputs.size() && i < session_->inputs().size(); ++i) {
    const TensorSpec& wanted = session_->inputs()[i];
    if (wanted.dtype != inputs[i].spec->dtype)
      return Error{ErrorKind::kUsage, "'" + sanitized(wanted.name, 60) + "' is " +
                                          name(wanted.dtype) + ", not " +
                                          name(inputs[i].spec->dtype)};
    fed.emplace_back(wanted, inputs[i].bytes);
  }
  EP_TRY(auto inference, session_->infer(fed));
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    Shape shape = std::move(inference.outputs[i].spec.shape);
    inference.outputs[i].spec = outputs_[i];
    inference.outputs[i].spec.shape = std::move(shape);
  }
  return std::move(inference.outputs);
}

}  // namespace edgeprobe::layers
