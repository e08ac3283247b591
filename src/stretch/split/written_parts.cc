// SPDX-License-Identifier: Apache-2.0
#include "stretch/split/written_parts.h"

#include <algorithm>
#include <cstring>

#include "core/codec.h"
#include "core/index.h"
#include "core/text.h"

namespace edgeprobe::stretch {

std::string PartConstants::add(Tensor tensor, const std::string& name) {
  tensor.spec.name = name;
  if (known_.insert(name).second) fresh_.push_back(std::move(tensor));
  return name;
}

Result<std::string> PartConstants::cut(int index, std::size_t axis, std::int64_t first,
                                       std::int64_t count) {
  if (read_.count(index) == 0) {
    EP_TRY(auto whole, model::constant(subject_.graph, file_, index));
    read_.emplace(index, std::move(whole));
  }
  const Tensor& whole = read_.at(index);
  const Shape& shape = whole.spec.shape;
  const std::size_t width = size_of(whole.spec.dtype);
  if (width == 0 || axis >= shape.size() || first < 0 || count < 1 || first + count > shape[axis])
    return Error{ErrorKind::kUnsupported,
                 "'" + sanitized(whole.spec.name, 80) + "' cannot be cut into channels"};
  std::size_t outer = 1, inner = width;
  for (std::size_t i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(shape[i]);
  for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= static_cast<std::size_t>(shape[i]);
  const std::size_t row = static_cast<std::size_t>(shape[axis]) * inner;
  const std::size_t size = static_cast<std::size_t>(count) * inner;
  if (whole.bytes.size() != outer * row)
    return Error{ErrorKind::kCorrupt,
                 "'" + sanitized(whole.spec.name, 80) + "' has not as many values as its shape"};
  Tensor part{whole.spec, Bytes(outer * size)};
  part.spec.shape[axis] = count;
  for (std::size_t i = 0; i < outer && size > 0; ++i)
    std::memcpy(part.bytes.data() + i * size,
                whole.bytes.data() + i * row + static_cast<std::size_t>(first) * inner, size);
  return add(std::move(part), whole.spec.name + "/axis" + std::to_string(axis) + "/" +
                                  std::to_string(first) + "to" + std::to_string(first + count));
}

Result<std::string> PartConstants::zeros(int index) {
  const TensorSpec& spec = subject_.tensor(index).spec;
  const auto size = spec.byte_size();
  if (!size)
    return Error{ErrorKind::kUnsupported, "'" + sanitized(spec.name, 80) + "' has no known size"};
  return add(Tensor{spec, Bytes(*size)}, spec.name + "/zeros");
}

std::string PartConstants::wholes(const std::vector<std::int64_t>& values,
                                  const std::string& name) {
  Tensor tensor;
  tensor.spec.dtype = DType::kInt64;
  tensor.spec.shape = {static_cast<std::int64_t>(values.size())};
  for (const std::int64_t value : values) {
    std::byte bytes[sizeof value];
    store_little(bytes, static_cast<std::uint64_t>(value));
    tensor.bytes.insert(tensor.bytes.end(), bytes, bytes + sizeof bytes);
  }
  return add(std::move(tensor), name);
}

std::vector<Tensor> PartConstants::take() {
  read_.clear();
  return std::move(fresh_);
}

std::string part_name(const std::string& name, std::size_t part) {
  return name + "/part" + std::to_string(part + 1);
}

model::NewLayer layer_part(const SplitSubject& subject, int index, std::size_t part) {
  const model::Layer& layer = subject.layer(index);
  model::NewLayer made;
  made.type = layer.type;
  if (!layer.name.empty()) made.name = part_name(layer.name, part);
  made.attributes = subject.attributes[at(index)];
  for (const int input : layer.inputs)
    made.inputs.push_back(input < 0 ? "" : subject.tensor(input).spec.name);
  for (const int output : layer.outputs)
    made.outputs.push_back(output < 0 ? "" : subject.tensor(output).spec.name);
  return made;
}

std::vector<int> replaced_layers(const SplitSubject& subject, const Matched& matched,
                                 const std::set<int>& unpacked) {
  std::set<int> layers(matched.layers.begin(), matched.layers.end());
  const auto is_read = [&](int layer) {
    const int output = subject.layer(layer).outputs.front();
    const auto& outputs = subject.graph.outputs;
    const auto& readers = subject.readers[at(output)];
    return std::find(outputs.begin(), outputs.end(), output) != outputs.end() ||
           std::any_of(readers.begin(), readers.end(), [&](int reader) {
             return !std::binary_search(matched.layers.begin(), matched.layers.end(), reader);
           });
  };
  for (const int layer : matched.openings)
    if (is_read(layer)) layers.erase(layer);
  for (const int layer : unpacked)
    if (!is_read(layer)) layers.insert(layer);
  return {layers.begin(), layers.end()};
}

void set_attribute(model::NewLayer& layer, const std::string& name, model::AttributeValue value) {
  std::erase_if(layer.attributes,
                [&](const model::Attribute& attribute) { return attribute.name == name; });
  layer.attributes.push_back({name, std::move(value)});
}

}  // namespace edgeprobe::stretch
