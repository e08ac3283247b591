// SPDX-License-Identifier: Apache-2.0
#include "engine/native/announced.h"

#include <algorithm>
#include <set>

#include "core/text.h"
#include "engine/inputs.h"
#include "engine/native/abi.h"

namespace edgeprobe::engine::native {
namespace {

/// `label` names the tensor: "input 0".
Result<Announced> announced(const edgeprobe_plugin_tensor* given, const std::string& role,
                            const std::string& label) {
  const auto wrong = [&](const std::string& what) {
    return Error{ErrorKind::kTarget, "it describes " + label + " " + what};
  };
  const auto known = known_of(given);
  if (!known)
    return wrong("in " + std::to_string(stated_size(given)) + " bytes; version " +
                 std::to_string(EDGEPROBE_PLUGIN_VERSION) + " of edgeprobe_plugin.h has at least " +
                 std::to_string(sizeof *known));
  edgeprobe_plugin_tensor tensor = *known;
  if (!tensor.name || !tensor.dtype) return wrong("without a name or a type");
  const auto dtype = dtype_from_name(tensor.dtype);
  if (!dtype || size_of(*dtype) == 0)
    return wrong("with the type '" + sanitized(tensor.dtype, 40) +
                 "'; expected NumPy's name of a type, such as float32");
  const bool any_rank = tensor.rank == EDGEPROBE_PLUGIN_ANY_RANK && role == "output";
  if (any_rank) tensor.rank = 0;
  if (tensor.rank > kMostDimensions || (tensor.rank > 0 && !tensor.shape))
    return wrong("with " + std::to_string(tensor.rank) + " dimensions" +
                 (tensor.shape ? "; expected at most 32" : " and no shape"));
  Announced tells{{tensor.name, *dtype, {}, {}}, any_rank};
  TensorSpec& spec = tells.spec;
  if (tensor.rank > 0) spec.shape.assign(tensor.shape, tensor.shape + tensor.rank);
  if (std::any_of(spec.shape.begin(), spec.shape.end(), [](auto side) { return side < -1; }))
    return wrong("with the shape " + to_list(spec.shape) + "; expected numbers from -1 on");
  if (role == "array" && tells.is_open())
    return wrong("with the open shape " + open_text(spec.shape));
  if (role == "input" && tells.is_open())
    return wrong("with the open shape " + open_text(spec.shape) +
                 "; inputs need the shape of --input-shape, or one of the model");
  if (!tells.is_open() && (!spec.byte_size() || *spec.byte_size() > kTensorLimit))
    return wrong("with the shape " + to_text(spec.shape) + ", which is over 2 GiB");
  const std::size_t scales = tensor.scale_count;
  if (scales == 0) return tells;
  if (!tensor.scale) return wrong("with a number of scales and no scales");
  if (scales > 1 &&
      (tensor.axis < 0 || static_cast<std::size_t>(tensor.axis) >= tensor.rank ||
       spec.shape[static_cast<std::size_t>(tensor.axis)] != static_cast<std::int64_t>(scales)))
    return wrong("with " + std::to_string(scales) + " scales along dimension " +
                 std::to_string(tensor.axis) + " of the shape " + open_text(spec.shape));
  spec.quantization.scale.assign(tensor.scale, tensor.scale + scales);
  if (tensor.zero_point)
    spec.quantization.zero_point.assign(tensor.zero_point, tensor.zero_point + scales);
  spec.quantization.axis = tensor.axis;
  return tells;
}

/// Fails unless there may be an array of `count` things.
Status check_count(const void* array, std::size_t count, const std::string& things) {
  constexpr std::size_t kMost = 1'000'000;
  if (count <= kMost && (count == 0 || array)) return {};
  return Error{ErrorKind::kTarget, "it describes " + std::to_string(count) + " " + things +
                                       (array ? "" : " at no address")};
}

}  // namespace

bool Announced::is_open() const {
  return any_rank || std::find(spec.shape.begin(), spec.shape.end(), -1) != spec.shape.end();
}

std::string Announced::shape_text() const {
  return any_rank ? "any number of dimensions" : open_text(spec.shape);
}

Result<std::vector<Announced>> all_announced(const edgeprobe_plugin_tensor* tensors,
                                             std::size_t count, const std::string& role) {
  EP_CHECK(check_count(tensors, count, role + "s"));
  if (count == 0 && role != "layer")
    return Error{ErrorKind::kTarget, "it describes 0 " + role + "s"};
  std::vector<Announced> all;
  std::set<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    EP_TRY(auto one, announced(element(tensors, i), role, role + " " + std::to_string(i)));
    const std::string& name = one.spec.name;
    if (role != "output" && !name.empty() && !names.insert(name).second)
      return Error{ErrorKind::kTarget,
                   "it describes two " + role + "s '" + sanitized(name, 100) + "'"};
    all.push_back(std::move(one));
  }
  return all;
}

Result<std::vector<OpTime>> kernels_of(const edgeprobe_plugin_model& model) {
  EP_CHECK(check_count(model.kernels, model.kernel_count, "kernels"));
  std::vector<OpTime> kernels;
  for (std::size_t i = 0; i < model.kernel_count; ++i) {
    const auto kernel = known_of(element(model.kernels, i));
    if (!kernel || (kernel->layer_count > 0 && !kernel->layers))
      return Error{ErrorKind::kTarget,
                   "it describes kernel " + std::to_string(i) +
                       (kernel ? " with layers at no address" : " in a struct that is too small")};
    const auto text = [](const char* given) { return std::string(given ? given : ""); };
    OpTime op{text(kernel->name), text(kernel->type), {}, text(kernel->precision)};
    if (kernel->layer_count > 0)
      op.layers.assign(kernel->layers, kernel->layers + kernel->layer_count);
    kernels.push_back(std::move(op));
  }
  return kernels;
}

}  // namespace edgeprobe::engine::native
