// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/session.h"

#include <algorithm>
#include <cstring>

#include "core/text.h"
#include "engine/inputs.h"
#include "engine/openvino/library.h"
#include "engine/openvino/model_file.h"

namespace edgeprobe::engine::openvino {
namespace {

/// Buffer for one message of the plug-in.
struct Message {
  char text[2048] = "";
  EpOvMessage border{text, sizeof text};
};

class OpenVinoSession final : public Session {
 public:
  OpenVinoSession(std::shared_ptr<Runtime> runtime)
      : runtime_(std::move(runtime)), table_(*runtime_->table) {}
  ~OpenVinoSession() override {
    if (compiled_) table_.end(compiled_);
  }

  Status load(ByteView bytes, std::string_view label, const SessionOptions& options);

  const std::vector<TensorSpec>& inputs() const override { return inputs_; }
  const std::vector<TensorSpec>& outputs() const override { return outputs_; }
  const std::vector<Delegation>& delegations() const override { return delegations_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  Result<Inference> infer(const std::vector<TensorView>& inputs) override;
  Result<std::unique_ptr<Binding>> bind(const std::vector<Place>& inputs,
                                        const std::vector<Place>& outputs) override;

 private:
  Status compile(ReadModel model, const ModelFile& file, const SessionOptions& options);
  void list_kernels();

  std::shared_ptr<Runtime> runtime_;
  const EpOvTable& table_;
  EpOvSession* compiled_ = nullptr;
  std::vector<TensorSpec> inputs_;
  std::vector<TensorSpec> outputs_;
  std::vector<Delegation> delegations_;
  std::vector<std::string> warnings_;
  std::vector<OpTime> kernels_;  ///< Without times.
};

/// The file's description of the tensor with this OpenVINO name and type, or else only the port's.
Result<TensorSpec> spec_of(const EpOvPort& port, const std::string& role, const ModelFile& file,
                           const std::vector<int>* tensors, std::size_t index) {
  TensorSpec spec;
  spec.name = port.name;
  spec.dtype = dtype_of(port.type);
  if (tensors && index < tensors->size()) {
    const TensorSpec& stored =
        file.graph->tensors[static_cast<std::size_t>((*tensors)[index])].spec;
    spec.name = stored.name;
    if (stored.dtype == spec.dtype) spec.quantization = stored.quantization;
  }
  if (spec.dtype == DType::kOther)
    return Error{ErrorKind::kUnsupported, role + " '" + sanitized(spec.name) + "' is of type " +
                                              port.type +
                                              ", which edgeprobe cannot feed or record"};
  if (!port.rank_known && role.starts_with("input"))
    return Error{ErrorKind::kUnsupported,
                 role + " '" + sanitized(spec.name) + "' has an unknown number of dimensions"};
  if (port.rank > 0) spec.shape.assign(port.shape, port.shape + port.rank);
  return spec;
}

bool has_coded_weights(const model::Graph& graph) {
  return std::any_of(graph.layers.begin(), graph.layers.end(), [&](const model::Layer& layer) {
    return std::any_of(layer.weights.begin(), layer.weights.end(), [&](int weight) {
      return is_integer(graph.tensors[static_cast<std::size_t>(weight)].spec.dtype);
    });
  });
}

Status OpenVinoSession::load(ByteView bytes, std::string_view label,
                             const SessionOptions& options) {
  if (options.profile)
    warnings_.push_back(
        "openvino reports for each kernel only the mean over all inferences so far, in whole "
        "microseconds: the times of "
        "single inferences are derived from it");
  EP_TRY(const auto file, recognise(bytes, label, options.folder));
  if (options.precision == Precision::kFloat32 && file.graph && has_coded_weights(*file.graph))
    warnings_.push_back(
        "openvino was asked for float32; an app that does not ask for it gets OpenVINO's own "
        "arithmetic, which also rounds what meets weights in codes: --precision engine judges "
        "that");
  EP_TRY(auto model, read(*runtime_, file, label, options.folder));
  for (const bool outputs : {false, true}) {
    const std::vector<int>* tensors =
        file.graph ? (outputs ? &file.graph->outputs : &file.graph->inputs) : nullptr;
    const std::size_t count = table_.model_ports(model.get(), outputs);
    // OpenVINO may drop unused inputs, so positions are valid only if all exist.
    if (tensors && tensors->size() != count) tensors = nullptr;
    for (std::size_t i = 0; i < count; ++i) {
      EP_TRY(auto spec,
             spec_of(table_.model_port(model.get(), outputs, i),
                     (outputs ? "output " : "input ") + std::to_string(i), file, tensors, i));
      (outputs ? outputs_ : inputs_).push_back(std::move(spec));
    }
  }
  return compile(std::move(model), file, options);
}

Status OpenVinoSession::compile(ReadModel model, const ModelFile& file,
                                const SessionOptions& options) {
  EP_TRY(const auto shapes, requested_shapes(inputs_, options.input_shapes));
  std::vector<const std::int64_t*> pointers;
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    inputs_[i].shape = shapes[i];
    pointers.push_back(inputs_[i].shape.data());
    ranks.push_back(inputs_[i].shape.size());
  }
  std::optional<LayerSource> source;
  if (options.profile) source = LayerSource::create(*runtime_, file);
  const EpOvLayers layers = source ? source->view() : EpOvLayers{};
  const EpOvOptions asked{options.threads, options.precision == Precision::kFloat32,
                          options.profile, pointers.data(),
                          ranks.data(),    source ? &layers : nullptr};
  Message message;
  compiled_ = table_.compile(runtime_->core, model.get(), &asked, &message.border);
  if (!compiled_) return Error{ErrorKind::kUnsupported, reason(message.text)};
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const EpOvPort port = table_.port(compiled_, 1, i);
    if (port.rank > 0) outputs_[i].shape.assign(port.shape, port.shape + port.rank);
  }
  list_kernels();
  return {};
}

void OpenVinoSession::list_kernels() {
  for (std::size_t i = 0; i < table_.kernels(compiled_); ++i) {
    const EpOvKernel kernel = table_.kernel(compiled_, i);
    OpTime op;
    op.name = kernel.name;
    op.type = kernel.type;
    const std::string_view primitive = kernel.primitive;
    if (!primitive.empty() && !primitive.starts_with("un"))
      op.type += " (" + std::string(primitive) + ")";  // except "unknown", "undef"
    op.precision = kernel.precision;
    if (kernel.layer_count > 0) op.layers.assign(kernel.layers, kernel.layers + kernel.layer_count);
    kernels_.push_back(std::move(op));
  }
}

Result<Inference> OpenVinoSession::infer(const std::vector<TensorView>& inputs) {
  EP_CHECK(check_inputs(inputs_, inputs));
  std::vector<EpOvBuffer> buffers;
  for (const TensorView& input : inputs) buffers.push_back({input.bytes.data, input.bytes.size});
  Message message;
  const auto failed = [&](const char* step) {
    return Error{ErrorKind::kTarget,
                 std::string("openvino failed while ") + step + ": " + reason(message.text)};
  };
  Inference inference;
  inference.latency =
      std::chrono::nanoseconds(table_.infer(compiled_, buffers.data(), &message.border));
  if (inference.latency.count() < 0) return failed("running the model");
  if (!kernels_.empty()) {
    std::vector<std::int64_t> nanoseconds(kernels_.size());
    if (!table_.times(compiled_, nanoseconds.data(), &message.border))
      return failed("reading the times of its kernels");
    inference.op_times = kernels_;
    for (std::size_t i = 0; i < kernels_.size(); ++i)
      inference.op_times[i].time = std::chrono::nanoseconds(nanoseconds[i]);
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    EpOvPort port;
    EpOvBuffer values;
    if (!table_.output(compiled_, i, &port, &values, &message.border))
      return failed("handing out an output");
    if (dtype_of(port.type) != outputs_[i].dtype)
      return Error{ErrorKind::kTarget, "openvino gave output '" + sanitized(outputs_[i].name) +
                                           "' as " + port.type + " instead of " +
                                           name(outputs_[i].dtype)};
    outputs_[i].shape.assign(port.shape, port.shape + port.rank);
    Tensor output{outputs_[i], Bytes(values.size)};
    if (values.size > 0) std::memcpy(output.bytes.data(), values.data, values.size);
    inference.outputs.push_back(std::move(output));
  }
  return inference;
}

/// A second request of the compiled model, with its tensors in the places.
class OpenVinoBinding final : public Binding {
 public:
  OpenVinoBinding(const EpOvTable& table, EpOvBound* bound) : table_(table), bound_(bound) {}
  OpenVinoBinding(const OpenVinoBinding&) = delete;
  OpenVinoBinding& operator=(const OpenVinoBinding&) = delete;
  ~OpenVinoBinding() override { table_.unbind(bound_); }

  Status run() override {
    if (table_.run(bound_, &message_.border)) return {};
    return Error{ErrorKind::kTarget,
                 "openvino failed while running the model: " + reason(message_.text)};
  }
  std::uint64_t copied() const override { return 0; }

 private:
  const EpOvTable& table_;
  EpOvBound* bound_;
  Message message_;
};

Result<std::unique_ptr<Binding>> OpenVinoSession::bind(const std::vector<Place>& inputs,
                                                       const std::vector<Place>& outputs) {
  EP_CHECK(check_places(inputs_, inputs, "input"));
  EP_CHECK(check_places(outputs_, outputs, "output"));
  if (!kernels_.empty() || overlap(inputs, outputs)) return Session::bind(inputs, outputs);
  const auto places_of = [](const std::vector<Place>& places) {
    std::vector<EpOvPlace> all;
    for (const Place& place : places) all.push_back({place.data, place.size});
    return all;
  };
  Message message;
  EpOvBound* const bound =
      table_.bind(compiled_, places_of(inputs).data(), places_of(outputs).data(), &message.border);
  if (!bound) return Session::bind(inputs, outputs);
  return std::unique_ptr<Binding>(std::make_unique<OpenVinoBinding>(table_, bound));
}

}  // namespace

Result<std::unique_ptr<Session>> load_session(std::shared_ptr<Runtime> runtime, ByteView model,
                                              std::string_view label,
                                              const SessionOptions& options) {
  auto session = std::make_unique<OpenVinoSession>(std::move(runtime));
  EP_CHECK(session->load(model, label, options));
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace edgeprobe::engine::openvino
