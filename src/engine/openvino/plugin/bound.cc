// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/plugin/bound.h"

#include <stdexcept>

namespace {

ov::Tensor tensor_over(const edgeprobe::engine::openvino::PortText& port, EpOvPlace place) {
  ov::Tensor tensor(ov::element::Type(port.type), ov::Shape(port.shape.begin(), port.shape.end()),
                    place.data);
  if (tensor.get_byte_size() != place.size)
    throw std::runtime_error("'" + port.name + "' has " + std::to_string(tensor.get_byte_size()) +
                             " bytes in the engine, its place has " + std::to_string(place.size));
  return tensor;
}

}  // namespace

EpOvBound::EpOvBound(EpOvSession& session, const EpOvPlace* inputs, const EpOvPlace* outputs)
    : request_(session.another_request()) {
  // OpenVINO gives the input and the output the same memory, the output's.
  if (session.hands_inputs_on()) throw std::runtime_error("an output of the model is an input");
  // OpenVINO silently writes an output of another shape to its own memory.
  if (session.decides_shapes()) throw std::runtime_error("the model decides shapes while it runs");
  // Each request has its own states; those of the session already include its inferences.
  if (!request_.query_state().empty()) throw std::runtime_error("the model keeps a state");
  for (std::size_t i = 0; i < session.inputs.size(); ++i)
    request_.set_input_tensor(i, tensor_over(session.inputs[i], inputs[i]));
  for (std::size_t i = 0; i < session.outputs.size(); ++i)
    request_.set_output_tensor(i, tensor_over(session.outputs[i], outputs[i]));
}

void EpOvBound::run() { request_.infer(); }
