// SPDX-License-Identifier: Apache-2.0
#include "engine/litert/port.h"

#include "core/text.h"
#include "engine/tensor_type.h"

namespace edgeprobe::engine::litert {

std::vector<TensorSpec> specs_of(const std::vector<Port>& ports) {
  std::vector<TensorSpec> specs;
  for (const Port& port : ports) specs.push_back(port.spec);
  return specs;
}

Result<Port> port_of(const Api& api, CTensor* tensor, std::size_t slot, const std::string& role) {
  Port port;
  port.tensor = tensor;
  port.slot = slot;
  const char* tensor_name = nullptr;
  if (api.tensor_name(tensor, &tensor_name) == kOk && tensor_name) port.spec.name = tensor_name;
  if (api.tensor_type(tensor, &port.type) != kOk || port.type.layout.rank() > kMostDimensions)
    return Error{ErrorKind::kUnsupported,
                 role + " '" + sanitized(port.spec.name) + "' has no fixed number of dimensions"};
  port.spec.dtype = dtype_of(port.type.element);
  if (port.spec.dtype == DType::kOther)
    return Error{ErrorKind::kUnsupported, role + " '" + sanitized(port.spec.name) +
                                              "' is of type " +
                                              tflite_type_name(port.type.element) +
                                              ", which edgeprobe cannot feed or record"};
  const Layout& layout = port.type.layout;
  port.spec.shape.assign(layout.dimensions, layout.dimensions + layout.rank());
  int kind = kNotQuantized;
  PerTensor one{};
  PerChannel many{};
  if (api.quantization_kind(tensor, &kind) != kOk) kind = kNotQuantized;
  if (kind == kPerTensor && api.per_tensor(tensor, &one) == kOk && one.scale != 0)
    port.spec.quantization = {{one.scale}, {one.zero_point}, 0};
  if (kind == kPerChannel && api.per_channel(tensor, &many) == kOk && many.scales &&
      many.zero_points)
    port.spec.quantization = {{many.scales, many.scales + many.count},
                              {many.zero_points, many.zero_points + many.count},
                              many.axis};
  return port;
}

}  // namespace edgeprobe::engine::litert
