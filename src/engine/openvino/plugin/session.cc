// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/plugin/session.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "engine/openvino/plugin/attempt.h"
#include "engine/openvino/plugin/layer_names.h"

namespace edgeprobe::engine::openvino {
namespace {

constexpr const char* kMeansNote =
    "openvino reports for each kernel only the mean over all inferences so far, in whole "
    "microseconds: the times of single inferences are derived from it";
constexpr const char* kCodedWeightsNote =
    "openvino was asked for float32; an app that does not ask for it gets OpenVINO's own "
    "arithmetic, which also rounds what meets weights in codes: --precision engine judges that";

bool has_coded_weights(const model::Graph& graph) {
  return std::any_of(graph.layers.begin(), graph.layers.end(), [&](const model::Layer& layer) {
    return std::any_of(layer.weights.begin(), layer.weights.end(), [&](int weight) {
      return is_integer(graph.tensors[static_cast<std::size_t>(weight)].spec.dtype);
    });
  });
}

void reshape(ov::Model& model, const std::vector<Shape>& wanted) {
  std::map<size_t, ov::PartialShape> shapes;
  bool changes = false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const ov::Shape shape(wanted[i].begin(), wanted[i].end());
    changes = changes || model.input(i).get_partial_shape() != ov::PartialShape(shape);
    shapes[i] = shape;
  }
  if (changes) model.reshape(shapes);
}

ov::AnyMap properties(const edgeprobe_plugin_request& request) {
  ov::AnyMap map{ov::inference_num_threads(request.threads), ov::num_streams(1),
                 ov::enable_profiling(request.profile != 0),
                 // Otherwise OpenVINO would pin its threads to CPUs of its choice.
                 ov::hint::enable_cpu_pinning(false)};
  if (request.float32) {
    map.insert(ov::hint::inference_precision(ov::element::f32));
    map.insert(ov::hint::execution_mode(ov::hint::ExecutionMode::ACCURACY));
  }
  return map;
}

bool hands_inputs_on(const ov::Model& model) {
  const auto& results = model.get_results();
  return std::any_of(results.begin(), results.end(), [](const auto& result) {
    return ov::is_type<ov::op::v0::Parameter>(result->get_input_node_shared_ptr(0));
  });
}

/// A tensor in fixed memory.
ov::Tensor tensor_over(const ov::element::Type& type, const TensorSpec& spec, void* data) {
  return {type, ov::Shape(spec.shape.begin(), spec.shape.end()), data};
}

class Bound final : public Runner {
 public:
  explicit Bound(ov::InferRequest request) : request_(std::move(request)) {}
  std::int64_t run(const void* const*, edgeprobe_plugin_value*) override {
    request_.infer();
    return -1;
  }

 private:
  ov::InferRequest request_;
};

}  // namespace

Result<std::unique_ptr<Session>> Session::load(ov::Core& core,
                                               const edgeprobe_plugin_request& request) {
  auto session = std::make_unique<Session>();
  if (request.profile) session->notes_.push_back(kMeansNote);
  const ByteView bytes(static_cast<const std::byte*>(request.bytes), request.size);
  EP_TRY(const auto file, recognise(bytes, request.name, request.folder ? request.folder : ""));
  if (request.float32 && file.graph && has_coded_weights(*file.graph))
    session->notes_.push_back(kCodedWeightsNote);
  EP_TRY(const auto model, read(core, file));
  EP_TRY(session->inputs_, ports_of(*model, file, false));
  EP_TRY(session->outputs_, ports_of(*model, file, true));
  EP_TRY(const auto shapes, shapes_of(session->inputs_, request));
  std::optional<LayerSource> source;
  if (request.profile) source = layer_source(core, file);
  EP_CHECK(attempt(ErrorKind::kUnsupported, [&] {
    session->compile(core, model, shapes, source, request);
    return true;
  }));
  return session;
}

void Session::compile(ov::Core& core, const std::shared_ptr<ov::Model>& model,
                      const std::vector<Shape>& shapes, const std::optional<LayerSource>& source,
                      const edgeprobe_plugin_request& request) {
  std::map<std::string, Origin> origins;
  if (source) origins = name_layers(model, *source);
  reshape(*model, shapes);
  hands_inputs_on_ = hands_inputs_on(*model);
  compiled_ = core.compile_model(model, "CPU", properties(request));
  for (std::size_t i = 0; i < inputs_.size(); ++i) inputs_[i].spec.shape = shapes[i];
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    settle(outputs_[i], compiled_.output(i).get_partial_shape());
    types_.push_back(compiled_.output(i).get_element_type());
  }
  if (request.profile) kernels_ = Kernels(compiled_, origins);
  request_ = compiled_.create_infer_request();
  described_inputs_.emplace(inputs_);
  described_outputs_.emplace(outputs_);
  open_tensors_.resize(outputs_.size());
  open_shapes_.resize(outputs_.size());
}

void Session::describe(edgeprobe_plugin_model& model) {
  model.inputs = described_inputs_->tensors().data();
  model.input_count = inputs_.size();
  model.outputs = described_outputs_->tensors().data();
  model.output_count = outputs_.size();
  model.notes = notes_.data();
  model.note_count = notes_.size();
  model.kernels = kernels_.described().data();
  model.kernel_count = kernels_.described().size();
  model.stateful = request_.query_state().empty() ? -1 : 1;
}

std::int64_t Session::run(const void* const* inputs, edgeprobe_plugin_value* outputs) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    ov::Tensor tensor = request_.get_input_tensor(i);
    const Shape& shape = inputs_[i].spec.shape;
    if (const ov::Shape wanted(shape.begin(), shape.end()); tensor.get_shape() != wanted)
      tensor.set_shape(wanted);
    if (tensor.get_byte_size() != inputs_[i].spec.byte_size())
      throw std::runtime_error("input " + std::to_string(i) + " has " +
                               std::to_string(tensor.get_byte_size()) + " bytes in the engine");
    std::memcpy(tensor.data(), inputs[i], tensor.get_byte_size());
  }
  const auto start = std::chrono::steady_clock::now();
  request_.infer();
  ++inferences_;
  const auto end = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < outputs_.size(); ++i) hand_out(i, outputs[i]);
  return std::chrono::nanoseconds(end - start).count();
}

void Session::hand_out(std::size_t index, edgeprobe_plugin_value& value) {
  ov::Tensor tensor = request_.get_output_tensor(index);
  const std::string& name = outputs_[index].spec.name;
  if (tensor.get_element_type() != types_[index])
    throw std::runtime_error("output '" + name + "' came as " +
                             tensor.get_element_type().get_type_name());
  if (value.shape) {  // Memory of edgeprobe.
    if (tensor.get_byte_size() != value.size)
      throw std::runtime_error("output '" + name + "' came in " +
                               std::to_string(tensor.get_byte_size()) + " bytes");
    if (value.size > 0) std::memcpy(value.data, tensor.data(), value.size);
    return;
  }
  const ov::Shape shape = tensor.get_shape();
  open_shapes_[index].assign(shape.begin(), shape.end());
  value.data = tensor.data();
  value.size = tensor.get_byte_size();
  open_tensors_[index] = std::move(tensor);
  value.shape = open_shapes_[index].data();
  value.rank = shape.size();
}

std::unique_ptr<Runner> Session::bind(const void* const* inputs,
                                      const edgeprobe_plugin_value* outputs) {
  // OpenVINO gives an input that is an output the same memory, the output's.
  if (hands_inputs_on_) return nullptr;
  auto request = compiled_.create_infer_request();
  // Each request has its own states; those of the session already include its inferences.
  if (!request.query_state().empty()) return nullptr;
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    request.set_input_tensor(i, tensor_over(compiled_.input(i).get_element_type(), inputs_[i].spec,
                                            const_cast<void*>(inputs[i])));
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    request.set_output_tensor(i, tensor_over(types_[i], outputs_[i].spec, outputs[i].data));
  return std::make_unique<Bound>(std::move(request));
}

}  // namespace edgeprobe::engine::openvino
