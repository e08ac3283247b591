// SPDX-License-Identifier: Apache-2.0
#include "layers/replay/batches.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/index.h"
#include "model/cut.h"

namespace edgeprobe::layers {
namespace {

// A layer that fits none of the batches that were begun last begins one, so that the time for many
// layers stays linear. A chain needs two, residual connections one or two more.
constexpr std::size_t kMostOpen = 8;

// True if these sets of tensors have one in common.
bool meet(const std::set<int>& some, const std::vector<int>& others) {
  return std::any_of(others.begin(), others.end(), [&](int tensor) { return some.count(tensor); });
}

struct Batch {
  std::vector<int> layers;
  std::set<int> fed, made;  // Tensors that its layers read, and all that they compute.
  std::size_t bytes = 0;
  bool is_closed = false;
};

// A layer as a part of the model, with all that it computes.
struct Place {
  model::Part part;
  std::vector<int> made;
  std::size_t bytes = 0;
  bool stays_alone = false;
};

Place place_of(const ModelFile& model, int layer, const Values& values) {
  Place place{model::one_op(*model.graph, layer), {}, 0, false};
  for (const int one : place.part.layers)
    for (const int output : model.graph->layers[at(one)].outputs)
      if (output >= 0) place.made.push_back(output);
  for (const auto* const tensors : {&place.part.inputs, &place.part.outputs})
    for (const int tensor : *tensors) {
      const TensorSpec* const recorded = values.find(tensor);
      const auto size = recorded ? recorded->byte_size() : std::nullopt;
      place.bytes += size.value_or(0);
      place.stays_alone |= !size || recorded->shape != model.spec(tensor).shape;
    }
  place.stays_alone |= place.bytes > kMostOfBatch;
  return place;
}

bool fits(const Batch& batch, const Place& place) {
  return !batch.is_closed && batch.bytes + place.bytes <= kMostOfBatch &&
         !meet(batch.made, place.part.inputs) && !meet(batch.fed, place.made);
}

void add(Batch& batch, int layer, const Place& place) {
  batch.layers.push_back(layer);
  batch.fed.insert(place.part.inputs.begin(), place.part.inputs.end());
  batch.made.insert(place.made.begin(), place.made.end());
  batch.bytes += place.bytes;
  batch.is_closed |= place.stays_alone;
}

// The parts as one. Constants that several compute are computed once.
model::Part joined(const std::vector<model::Part>& parts) {
  std::set<int> layers, inputs;
  model::Part all;
  for (const model::Part& part : parts) {
    layers.insert(part.layers.begin(), part.layers.end());
    inputs.insert(part.inputs.begin(), part.inputs.end());
    all.outputs.insert(all.outputs.end(), part.outputs.begin(), part.outputs.end());
  }
  all.layers.assign(layers.begin(), layers.end());
  all.inputs.assign(inputs.begin(), inputs.end());
  return all;
}

Result<std::vector<KernelError>> side_by_side(const Host& host, const ModelFile& model,
                                              const std::vector<int>& layers, const Values& values,
                                              const Control& control) {
  std::vector<model::Part> parts;
  for (const int layer : layers) parts.push_back(model::one_op(*model.graph, layer));
  EP_TRY(auto fragment, Fragment::open(host, model, joined(parts), {}));
  std::vector<KernelErrorSums> sums(layers.size());
  for (std::size_t frame = 0; frame < values.frames(); ++frame) {
    if (control.stopped()) return interrupted();
    std::vector<Tensor> inputs;
    for (const int input : fragment.part().inputs) {
      EP_TRY(auto value, values.read(input, frame));
      inputs.push_back(std::move(value));
    }
    EP_TRY(const auto outputs, fragment.run({inputs.begin(), inputs.end()}));
    auto output = outputs.begin();
    for (std::size_t l = 0; l < layers.size(); ++l)
      for (const int tensor : parts[l].outputs) {
        EP_TRY(const auto recorded, values.read(tensor, frame));
        EP_CHECK(sums[l].add(model.spec(tensor), *output++, recorded));
      }
  }
  std::vector<KernelError> found;
  for (std::size_t l = 0; l < layers.size(); ++l) found.push_back(sums[l].judged(model, layers[l]));
  return found;
}

KernelError by_itself(const Host& host, const ModelFile& model, int layer, const Values& values) {
  auto fragment = open_layer(host, model, layer, values);
  auto found = fragment ? kernel_error_of(model, layer, *fragment, values)
                        : Result<KernelError>(fragment.error());
  if (found) return *std::move(found);
  KernelError kernel_error;
  kernel_error.layer = layer;
  kernel_error.not_checked = found.error().what;
  return kernel_error;
}

}  // namespace

std::vector<std::vector<int>> batches_of(const ModelFile& model, const std::vector<int>& layers,
                                         const Values& values) {
  std::vector<Batch> batches;
  for (const int layer : layers) {
    const Place place = place_of(model, layer, values);
    const std::size_t first = batches.size() - std::min(batches.size(), kMostOpen);
    auto batch = batches.end();
    if (!place.stays_alone)
      batch = std::find_if(batches.begin() + static_cast<std::ptrdiff_t>(first), batches.end(),
                           [&](const Batch& open) { return fits(open, place); });
    if (batch == batches.end()) batch = batches.emplace(batches.end());
    add(*batch, layer, place);
  }
  std::vector<std::vector<int>> found;
  for (Batch& batch : batches) found.push_back(std::move(batch.layers));
  return found;
}

Result<std::vector<KernelError>> kernel_errors_of(const Host& host, const ModelFile& model,
                                                  const std::vector<int>& layers,
                                                  const Values& values, const Control& control) {
  std::map<int, KernelError> found;
  const auto show = [&] {
    if (control.progress)
      control.progress(found.size(), layers.size(), "layers replayed on their own inputs");
  };
  for (const std::vector<int>& batch : batches_of(model, layers, values)) {
    if (batch.size() > 1) {
      auto together = side_by_side(host, model, batch, values, control);
      if (together)
        for (KernelError& one : *together)
          if (!one.faulty) found.emplace(one.layer, std::move(one));
    }
    for (const int layer : batch) {
      if (control.stopped()) return interrupted();
      if (!found.count(layer)) found.emplace(layer, by_itself(host, model, layer, values));
      show();
    }
  }
  std::vector<KernelError> ordered;
  for (const int layer : layers) ordered.push_back(std::move(found.at(layer)));
  return ordered;
}

}  // namespace edgeprobe::layers
