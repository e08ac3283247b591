// SPDX-License-Identifier: Apache-2.0
#include "engine/tflite/in_place.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/inputs.h"
#include "model/format.h"

namespace edgeprobe::engine::tflite {
namespace {

/// XNNPACK's loads may begin in a tensor and extend this many bytes past it (its XNN_EXTRA_BYTES).
constexpr std::size_t kReadBehind = 16;

/// Operators whose output shapes depend on more than the shapes of their inputs.
bool decides_shapes(std::string_view type) {
  constexpr std::array<std::string_view, 7> kTypes = {"WHERE", "UNIQUE",    "IF",           "WHILE",
                                                      "CALL",  "CALL_ONCE", "READ_VARIABLE"};
  for (const char* const unread : {"CUSTOM:", "BUILTIN_", "STABLEHLO_"})
    if (type.starts_with(unread)) return true;
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

/// Asks the kernel whether a load from this address would fault, which raises no signal.
bool is_readable(const std::byte* address, std::size_t size) {
  std::array<std::byte, kReadBehind> copy;
  const iovec to{copy.data(), size};
  const iovec from{const_cast<std::byte*>(address), size};
  return ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(size);
}

}  // namespace

bool shapes_are_fixed(const model::Graph& graph) {
  return std::all_of(graph.layers.begin(), graph.layers.end(), [&](const model::Layer& layer) {
    if (decides_shapes(layer.type)) return false;
    // Shapes, sizes and axes are integers; integer data cannot be distinguished from them.
    return std::none_of(layer.inputs.begin(), layer.inputs.end(), [&](int input) {
      if (input < 0) return false;
      const model::ModelTensor& tensor = graph.tensors[static_cast<std::size_t>(input)];
      return !tensor.is_constant &&
             (tensor.spec.dtype == DType::kInt32 || tensor.spec.dtype == DType::kInt64);
    });
  });
}

bool can_compute_in_place(const model::Graph& graph, const std::vector<Place>& inputs,
                          const std::vector<Place>& outputs) {
  // The engine may resize an output in a run, and nothing would keep it in its place.
  if (overlap(inputs, outputs) || !shapes_are_fixed(graph)) return false;
  for (const auto* const places : {&inputs, &outputs})
    for (const Place& place : *places)
      if (place.size == 0 || !is_readable(place.data + place.size, kReadBehind)) return false;
  if (graph.inputs.size() != inputs.size() || graph.outputs.size() != outputs.size()) return false;
  // A tensor has one place, so an input that is also an output cannot have two.
  std::vector<int> tensors = graph.inputs;
  tensors.insert(tensors.end(), graph.outputs.begin(), graph.outputs.end());
  std::sort(tensors.begin(), tensors.end());
  return std::adjacent_find(tensors.begin(), tensors.end()) == tensors.end();
}

bool can_compute_in_place(ByteView file, const std::vector<Place>& inputs,
                          const std::vector<Place>& outputs) {
  const auto graph = model::read_unhashed(file, "the model", {});
  return graph && can_compute_in_place(*graph, inputs, outputs);
}

}  // namespace edgeprobe::engine::tflite
