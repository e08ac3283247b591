// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/plugin/ports.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "engine/inputs.h"

namespace edgeprobe::engine::openvino {
namespace {

/// kOther for types that edgeprobe neither feeds nor records ("string", "u4", "nf4", …).
DType dtype_of(std::string_view type) {
  constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"f32", DType::kFloat32}, {"f16", DType::kFloat16}, {"bf16", DType::kBFloat16},
      {"f64", DType::kFloat64}, {"i8", DType::kInt8},     {"u8", DType::kUInt8},
      {"i16", DType::kInt16},   {"u16", DType::kUInt16},  {"i32", DType::kInt32},
      {"u32", DType::kUInt32},  {"i64", DType::kInt64},   {"u64", DType::kUInt64},
      {"boolean", DType::kBool}};
  for (const auto& [name, dtype] : kTypes)
    if (type == name) return dtype;
  return DType::kOther;
}

/// `stored` is the file's description; null if it is unknown.
Result<Port> port_of(const ov::Output<const ov::Node>& output, const std::string& role,
                     const TensorSpec* stored) {
  const std::string type = output.get_element_type().get_type_name();
  const auto& names = output.get_names();
  const auto first = std::min_element(names.begin(), names.end());
  Port port;
  TensorSpec& spec = port.spec;
  spec.dtype = dtype_of(type);
  if (first != names.end()) spec.name = *first;
  if (stored) {
    spec.name = stored->name;
    if (stored->dtype == spec.dtype) spec.quantization = stored->quantization;
  }
  if (spec.dtype == DType::kOther)
    return Error{ErrorKind::kUnsupported, role + " '" + sanitized(spec.name) + "' is of type " +
                                              type + ", which edgeprobe cannot feed or record"};
  settle(port, output.get_partial_shape());
  if (port.any_rank && role.starts_with("input"))
    return Error{ErrorKind::kUnsupported,
                 role + " '" + sanitized(spec.name) + "' has an unknown number of dimensions"};
  return port;
}

}  // namespace

void settle(Port& port, const ov::PartialShape& shape) {
  port.any_rank = shape.rank().is_dynamic();
  port.spec.shape.clear();
  if (port.any_rank) return;
  for (const ov::Dimension& side : shape)
    port.spec.shape.push_back(side.is_static() ? side.get_length() : -1);
}

Result<std::vector<Port>> ports_of(const ov::Model& model, const ModelFile& file, bool outputs) {
  const auto found = outputs ? model.outputs() : model.inputs();
  const std::vector<int>* stored = nullptr;
  if (file.graph) stored = outputs ? &file.graph->outputs : &file.graph->inputs;
  // OpenVINO may drop unused inputs, so positions are valid only if all exist.
  if (stored && stored->size() != found.size()) stored = nullptr;
  std::vector<Port> ports;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const TensorSpec* const spec =
        stored ? &file.graph->tensors[static_cast<std::size_t>((*stored)[i])].spec : nullptr;
    EP_TRY(auto port,
           port_of(found[i], (outputs ? "output " : "input ") + std::to_string(i), spec));
    ports.push_back(std::move(port));
  }
  return ports;
}

Result<std::vector<Shape>> shapes_of(const std::vector<Port>& inputs,
                                     const edgeprobe_plugin_request& request) {
  std::vector<TensorSpec> specs;
  for (const Port& input : inputs) specs.push_back(input.spec);
  std::map<std::string, Shape> asked;
  for (std::size_t i = 0; i < request.shape_count; ++i) {
    const edgeprobe_plugin_shape& one = request.shapes[i];
    asked[one.input].assign(one.shape, one.shape + one.rank);
  }
  return requested_shapes(specs, asked);
}

Described::Described(const std::vector<Port>& ports) : ports_(ports) {
  for (const auto& [spec, any_rank] : ports_) {
    const Quantization& codes = spec.quantization;
    std::vector<std::int64_t> zeros;
    for (std::size_t i = 0; i < codes.scale.size(); ++i) zeros.push_back(codes.zero_point_at(i));
    zero_points_.push_back(std::move(zeros));
    tensors_.push_back(
        {sizeof(edgeprobe_plugin_tensor), codes.axis, spec.name.c_str(), name(spec.dtype),
         spec.shape.data(), any_rank ? EDGEPROBE_PLUGIN_ANY_RANK : spec.shape.size(),
         codes.scale.data(), zero_points_.back().data(), codes.scale.size(), nullptr});
  }
}

}  // namespace edgeprobe::engine::openvino
