// SPDX-License-Identifier: Apache-2.0
#include "stretch/merge.h"

#include <algorithm>
#include <cstdint>

#include "core/index.h"
#include "stretch/wording.h"

namespace edgeprobe::stretch {
namespace {

using model::Graph;
using model::Layer;
using model::ModelTensor;

/// True if everything that determines the offsets of its values is known.
bool has_places(const ModelTensor& tensor) {
  const Shape& shape = tensor.spec.shape;
  return tensor.shape_known && size_of(tensor.spec.dtype) > 0 &&
         tensor.spec.dtype != DType::kInt4 && element_count(shape) &&
         std::all_of(shape.begin(), shape.end(), [](std::int64_t one) { return one > 0; });
}

}  // namespace

std::optional<std::size_t> axis_of(const Graph& graph, int whole, const std::vector<int>& slices) {
  const Shape& sum = graph.tensors[at(whole)].spec.shape;
  std::optional<std::size_t> axis;
  for (const int slice : slices) {
    const Shape& shape = graph.tensors[at(slice)].spec.shape;
    if (shape.size() != sum.size()) return std::nullopt;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] == sum[i]) continue;
      if (axis.value_or(i) != i) return std::nullopt;
      axis = i;
    }
  }
  if (!axis) return std::nullopt;
  std::int64_t left = sum[*axis];
  for (const int slice : slices) {
    const std::int64_t count = graph.tensors[at(slice)].spec.shape[*axis];
    if (count > left) return std::nullopt;
    left -= count;
  }
  return left == 0 ? axis : std::nullopt;
}

Result<std::vector<std::size_t>> offsets_of(const Graph& graph, const Merge& merge,
                                            const std::string& place, const Layer* layer, int whole,
                                            const std::vector<int>& slices) {
  const auto refused = [&](const std::string& what) {
    return wrong(place, in_quotes(merge.tensor) + " " + what);
  };
  // LiteRT's CONCATENATION has a field for an activation, which its kernel refuses (Prepare() in
  // tensorflow/lite/kernels/concatenation.cc), so models that use it do not run.
  if (!layer || (layer->type != "Concat" && layer->type != "CONCATENATION"))
    return refused("is the output of no Concat; let a piece make it");
  std::vector<int> read = layer->inputs;
  read.erase(std::remove_if(read.begin(), read.end(), [](int one) { return one < 0; }), read.end());
  if (read != slices)
    return refused("is not made of these slices: name all inputs of its layer in their order");
  const ModelTensor& all = graph.tensors[at(whole)];
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const ModelTensor& one = graph.tensors[at(slices[i])];
    if (one.is_constant)
      return refused("has the constant " + in_quotes(merge.slices[i].tensor) +
                     " among its slices; let a piece make it");
    if (!has_places(one) || !has_places(all))
      return refused("or its slice " + in_quotes(merge.slices[i].tensor) +
                     " has no fixed size; let a piece make it");
    if (one.spec.dtype != all.spec.dtype || !(one.spec.quantization == all.spec.quantization))
      return refused("has another type or scale than its slice " +
                     in_quotes(merge.slices[i].tensor) + "; let a piece convert it");
  }
  const auto axis = axis_of(graph, whole, slices);
  if (!axis) return refused("and its slices do not go together along one dimension");
  const Shape& shape = all.spec.shape;
  if (std::any_of(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(*axis),
                  [](std::int64_t one) { return one != 1; }))
    return refused("(" + to_text(shape) + ") is joined along dimension " + std::to_string(*axis) +
                   ", and those before it are not all 1: its slices are not contiguous in memory; "
                   "let a piece make it");
  std::size_t row = 1;
  for (std::size_t i = *axis + 1; i < shape.size(); ++i) row *= static_cast<std::size_t>(shape[i]);
  std::vector<std::size_t> offsets;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const Merge::Slice& slice = merge.slices[i];
    const std::int64_t count = graph.tensors[at(slices[i])].spec.shape[*axis];
    if (slice.count != count)
      return refused("takes " + std::to_string(slice.count) + " of " + in_quotes(slice.tensor) +
                     ", which has " + std::to_string(count) + " along dimension " +
                     std::to_string(*axis));
    offsets.push_back(static_cast<std::size_t>(slice.first) * row);
  }
  return offsets;
}

}  // namespace edgeprobe::stretch
