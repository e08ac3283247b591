// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/plugin/session.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>

#include "engine/openvino/plugin/layer_names.h"

namespace edgeprobe::engine::openvino {
namespace {

void reshape(ov::Model& model, const EpOvOptions& options) {
  std::map<size_t, ov::PartialShape> shapes;
  bool changes = false;
  for (std::size_t i = 0; i < model.inputs().size(); ++i) {
    const ov::Shape wanted(options.shapes[i], options.shapes[i] + options.ranks[i]);
    changes = changes || model.input(i).get_partial_shape() != ov::PartialShape(wanted);
    shapes[i] = wanted;
  }
  if (changes) model.reshape(shapes);
}

ov::AnyMap properties(const EpOvOptions& options) {
  ov::AnyMap map{ov::inference_num_threads(options.threads), ov::num_streams(1),
                 ov::enable_profiling(options.profile != 0),
                 // Otherwise OpenVINO would pin its threads to CPUs of its choice.
                 ov::hint::enable_cpu_pinning(false)};
  if (options.float32) {
    map.insert(ov::hint::inference_precision(ov::element::f32));
    map.insert(ov::hint::execution_mode(ov::hint::ExecutionMode::ACCURACY));
  }
  return map;
}

std::string text_of(const ov::Node& node, const char* key) {
  const auto& info = node.get_rt_info();
  const auto found = info.find(key);
  return found == info.end() ? std::string() : found->second.as<std::string>();
}

std::vector<KernelText> kernels_of(const ov::CompiledModel& compiled,
                                   const std::map<std::string, Origin>& origins) {
  std::vector<std::pair<int, KernelText>> ordered;
  std::set<const ov::Node*> before_inference;
  for (const auto& node : compiled.get_runtime_model()->get_ordered_ops()) {
    const std::string type = text_of(*node, "layerType");
    if (type == "Input" || type == "Output" || type.empty()) continue;
    bool fixed = type == "Const" || node->get_input_size() > 0;
    for (std::size_t i = 0; i < node->get_input_size(); ++i)
      fixed = fixed && before_inference.contains(node->get_input_node_ptr(i));
    // Constant expressions are evaluated when the model is compiled.
    if (fixed) before_inference.insert(node.get());
    if (fixed) continue;
    const std::string order = text_of(*node, "execOrder");
    KernelText kernel;
    kernel.node = node->get_friendly_name();
    kernel.name = original(kernel.node, origins);
    kernel.type = type;
    kernel.primitive = text_of(*node, "primitiveType");
    kernel.precision = text_of(*node, "runtimePrecision");
    kernel.layers = layers_of(text_of(*node, "originalLayersNames"), origins);
    ordered.emplace_back(order.empty() ? 0 : std::stoi(order), std::move(kernel));
  }
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<KernelText> kernels;
  for (auto& [order, kernel] : ordered) kernels.push_back(std::move(kernel));
  return kernels;
}

}  // namespace
}  // namespace edgeprobe::engine::openvino

using namespace edgeprobe::engine::openvino;

EpOvSession::EpOvSession(EpOvCore& core, EpOvModel& read, const EpOvOptions& options) {
  std::map<std::string, Origin> origins;
  if (options.layers) origins = name_layers(read.model, *options.layers);
  reshape(*read.model, options);
  for (const auto& result : read.model->get_results())
    hands_inputs_on_ = hands_inputs_on_ ||
                       ov::is_type<ov::op::v0::Parameter>(result->get_input_node_shared_ptr(0));
  compiled_ = core.core.compile_model(read.model, "CPU", properties(options));
  for (const auto& port : compiled_.inputs()) inputs.push_back(describe(port));
  for (const auto& port : compiled_.outputs()) outputs.push_back(describe(port));
  if (options.profile) kernels = kernels_of(compiled_, origins);
  request_ = compiled_.create_infer_request();
}

bool EpOvSession::decides_shapes() const {
  const auto& ports = compiled_.outputs();
  return std::any_of(ports.begin(), ports.end(),
                     [](const auto& port) { return port.get_partial_shape().is_dynamic(); });
}

int64_t EpOvSession::infer(const EpOvBuffer* buffers) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ov::Tensor tensor = request_.get_input_tensor(i);
    const std::vector<int64_t>& shape = inputs[i].shape;
    if (const ov::Shape wanted(shape.begin(), shape.end()); tensor.get_shape() != wanted)
      tensor.set_shape(wanted);
    if (tensor.get_byte_size() != buffers[i].size)
      throw std::runtime_error("input " + std::to_string(i) + " has " +
                               std::to_string(tensor.get_byte_size()) + " bytes in the engine, " +
                               std::to_string(buffers[i].size) + " were given");
    std::memcpy(tensor.data(), buffers[i].data, buffers[i].size);
  }
  const auto start = std::chrono::steady_clock::now();
  request_.infer();
  ++inferences_;
  return std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
}

void EpOvSession::output(std::size_t index, EpOvPort& port, EpOvBuffer& buffer) {
  output_tensors_.resize(outputs.size());
  ov::Tensor& tensor = output_tensors_[index] = request_.get_output_tensor(index);
  const ov::Shape shape = tensor.get_shape();
  outputs[index].shape.assign(shape.begin(), shape.end());
  outputs[index].rank_known = true;
  outputs[index].type = tensor.get_element_type().get_type_name();
  port = outputs[index].view();
  buffer = {tensor.data(), tensor.get_byte_size()};
}

/// OpenVINO reports the mean over all inferences so far, rounded down to whole microseconds. The
/// corresponding sum is in an interval as wide as the number of inferences. An inference's time is
/// the value nearest to the mean that moves the sum into the next interval. Sums, means and
/// outliers larger than that width are then correct.
void EpOvSession::times(int64_t* nanoseconds) {
  constexpr int64_t kMicrosecond = 1000;
  std::map<std::string, int64_t> means;
  for (const ov::ProfilingInfo& info : request_.get_profiling_info())
    if (info.status == ov::ProfilingInfo::Status::EXECUTED)
      means[info.node_name] += info.real_time.count();
  spent_.resize(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto mean = means.find(kernels[i].node);
    nanoseconds[i] = 0;
    if (mean == means.end()) continue;
    const int64_t least = std::max(mean->second * inferences_ * kMicrosecond, spent_[i]);
    const int64_t most = std::max(((mean->second + 1) * inferences_ - 1) * kMicrosecond, spent_[i]);
    const int64_t usual =
        inferences_ > 1 ? spent_[i] / (inferences_ - 1) : mean->second * kMicrosecond;
    const int64_t sum = std::clamp(spent_[i] + usual, least, most);
    nanoseconds[i] = sum - spent_[i];
    spent_[i] = sum;
  }
}
