// SPDX-License-Identifier: Apache-2.0
#include "engine/kenning/kenning.h"

#include <utility>

#include "core/text.h"
#include "engine/inputs.h"
#include "engine/kenning/session.h"
#include "engine/kinds.h"
#include "model/format.h"
#include "model/graph.h"
#include "model/state.h"

namespace edgeprobe::engine {
namespace {

Error does_not_travel(const std::string& what) {
  return {ErrorKind::kUnsupported,
          "a server of Kenning takes only a model and its inputs; " + what};
}

/// kUnsupported for options that would have to be sent to the server.
Status check_travelling(const SessionOptions& options) {
  if (options.profile) return does_not_travel("it does not report times of layers");
  if (options.threads != 1) return does_not_travel("how many threads run is its operator's choice");
  if (options.precision != Precision::kFloat32)
    return does_not_travel("the precision is its operator's choice");
  if (!std::holds_alternative<std::monostate>(options.own) &&
      (own<TfliteOptions>(options) != TfliteOptions{} ||
       own<OnnxRuntimeOptions>(options) != OnnxRuntimeOptions{}))
    return does_not_travel("kernels and optimization are its operator's choice");
  if (!options.delegates.empty() || !options.custom_ops.empty() || !options.cpus.empty())
    return does_not_travel("delegates, custom operators and CPUs are its operator's choice");
  return {};
}

std::vector<TensorSpec> specs_of(const model::Graph& graph, const std::vector<int>& tensors) {
  std::vector<TensorSpec> specs;
  for (const int tensor : tensors)
    specs.push_back(graph.tensors[static_cast<std::size_t>(tensor)].spec);
  return specs;
}

Result<kenning::Upload> upload_of(ByteView model, std::string_view label,
                                  const SessionOptions& options) {
  EP_TRY(const auto graph, model::read_unhashed(model, label, {}));
  for (const int output : graph.outputs)
    if (const auto& tensor = graph.tensors[static_cast<std::size_t>(output)]; !tensor.shape_known)
      return does_not_travel("the shape of output '" + sanitized(tensor.spec.name, 60) +
                             "', which IO_SPEC needs, is not in the model's file");
  kenning::Upload upload;
  upload.model = model.copy();
  upload.label = label;
  upload.inputs = specs_of(graph, graph.inputs);
  upload.outputs = specs_of(graph, graph.outputs);
  upload.state = model::state_of(graph);
  upload.load_limit = options.load_limit;
  upload.invoke_limit = options.invoke_limit;
  EP_TRY(auto shapes, requested_shapes(upload.inputs, options.input_shapes));
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Shape& stored = upload.inputs[i].shape;
    bool fits = stored.size() == shapes[i].size();
    for (std::size_t d = 0; fits && d < stored.size(); ++d)
      fits = stored[d] < 0 || stored[d] == shapes[i][d];
    if (!fits)
      return does_not_travel("input '" + sanitized(upload.inputs[i].name, 60) + "' has the shape " +
                             to_text(stored) + " there, not " + to_text(shapes[i]));
    stored = std::move(shapes[i]);
  }
  return upload;
}

class KenningEngine final : public Engine {
 public:
  KenningEngine(std::shared_ptr<kenning::Server> server, std::string kind)
      : server_(std::move(server)) {
    identity_.kind = std::move(kind);
    identity_.version =
        std::string("not reported by the server of Kenning, ") + server_->manner().name;
  }

  const EngineIdentity& identity() const override { return identity_; }

  Result<std::unique_ptr<Session>> load(ByteView model, std::string_view label,
                                        const SessionOptions& options) override {
    const std::string doing = "'" + sanitized(label) + "' on " + server_->address();
    if (auto travels = check_travelling(options); !travels)
      return std::move(travels.error()).during(doing);
    auto upload = upload_of(model, label, options);
    if (!upload) return std::move(upload.error()).during(doing);
    return kenning::KenningSession::load(server_, *std::move(upload));
  }

 private:
  std::shared_ptr<kenning::Server> server_;
  EngineIdentity identity_;
};

}  // namespace

Result<std::unique_ptr<Engine>> open_kenning(const EngineChoice& choice, const TargetUri& target) {
  EP_TRY(auto server, kenning::Server::open(target));
  return std::unique_ptr<Engine>(std::make_unique<KenningEngine>(std::move(server), choice.kind));
}

}  // namespace edgeprobe::engine
