// SPDX-License-Identifier: Apache-2.0
#include "compare/options/read.h"

#include <algorithm>
#include <cmath>

#include "compare/align/channel_scale.h"
#include "core/index.h"

namespace edgeprobe::compare {
namespace {

// Largest number of values in a constant input that controls the computation.
constexpr std::size_t kMostNumbers = 64;

// Bounds numbers so that arithmetic cannot overflow.
constexpr std::int64_t kMostWhole = std::int64_t{1} << 30;
std::int64_t bounded(std::int64_t number) { return std::clamp(number, -kMostWhole, kMostWhole); }

const model::Attributes& attributes_at(const OptionSource& source, int layer) {
  static const model::Attributes none;
  return at(layer) < source.attributes.size() ? source.attributes[at(layer)] : none;
}

const Shape* known_shape(const model::Graph& graph, int tensor) {
  if (tensor < 0 || at(tensor) >= graph.tensors.size() || !graph.tensors[at(tensor)].shape_known)
    return nullptr;
  return &graph.tensors[at(tensor)].spec.shape;
}

}  // namespace

OperatorReader::OperatorReader(const OptionSource& source, int layer)
    : source_(source),
      layer_(source.graph.layers[at(layer)]),
      attributes_(attributes_at(source, layer)) {}

std::optional<model::AttributeValue> OperatorReader::value(const std::string& name) const {
  for (const model::Attribute& attribute : attributes_)
    if (attribute.name == name) return attribute.value;
  return model::default_attribute(source_.graph, layer_, name);
}

std::int64_t OperatorReader::whole(const std::string& name, std::int64_t absent) const {
  const auto found = value(name);
  if (!found) return absent;
  if (const auto* number = std::get_if<std::int64_t>(&*found)) return bounded(*number);
  if (const auto* flag = std::get_if<bool>(&*found)) return *flag ? 1 : 0;
  return absent;
}

double OperatorReader::real(const std::string& name, double absent) const {
  const auto found = value(name);
  const auto* const number = found ? std::get_if<float>(&*found) : nullptr;
  return number ? double{*number} : absent;
}

std::string OperatorReader::text(const std::string& name, const std::string& absent) const {
  const auto found = value(name);
  const auto* const words = found ? std::get_if<std::string>(&*found) : nullptr;
  return words ? *words : absent;
}

std::optional<Wholes> OperatorReader::wholes(const std::string& name) const {
  const auto found = value(name);
  const auto* const list = found ? std::get_if<Wholes>(&*found) : nullptr;
  if (!list) return std::nullopt;
  Wholes numbers = *list;
  for (std::int64_t& one : numbers) one = bounded(one);
  return numbers;
}

std::optional<std::vector<double>> OperatorReader::numbers(std::size_t slot) const {
  if (slot >= layer_.inputs.size() || layer_.inputs[slot] < 0) return std::nullopt;
  const int tensor = stored_constant(source_.graph, layer_.inputs[slot]);
  if (tensor < 0) return std::nullopt;
  const auto& spec = source_.graph.tensors[at(tensor)].spec;
  const auto count = element_count(spec.shape);
  if (!count || *count > kMostNumbers) return std::nullopt;
  const auto stored = model::constant(source_.graph, source_.file, tensor);
  if (!stored) return std::nullopt;
  const auto values = to_float(*stored);
  if (!values) return std::nullopt;
  return std::vector<double>(values->begin(), values->end());
}

std::optional<Wholes> OperatorReader::whole_numbers(std::size_t slot) const {
  const auto found = numbers(slot);
  if (!found) return std::nullopt;
  Wholes list;
  for (const double number : *found) {
    if (!(std::fabs(number) < 1e9)) return std::nullopt;
    list.push_back(std::llround(number));
  }
  return list;
}

const Shape* OperatorReader::input_shape(std::size_t slot) const {
  return slot < layer_.inputs.size() ? known_shape(source_.graph, layer_.inputs[slot]) : nullptr;
}

const Shape* OperatorReader::output_shape() const {
  return layer_.outputs.empty() ? nullptr : known_shape(source_.graph, layer_.outputs[0]);
}

Wholes OperatorReader::spatial(const Shape* shape) const {
  if (!shape || shape->size() < 3) return {};
  const auto from = shape->begin() + (is_tflite() ? 1 : 2);
  Wholes dims(from, is_tflite() ? shape->end() - 1 : shape->end());
  for (std::int64_t& dim : dims) dim = bounded(dim);
  return std::any_of(dims.begin(), dims.end(), [](std::int64_t dim) { return dim < 1; }) ? Wholes{}
                                                                                         : dims;
}

std::int64_t OperatorReader::counted(std::int64_t axis, const Shape* of) const {
  return axis < 0 && of ? axis + static_cast<std::int64_t>(of->size()) : axis;
}

}  // namespace edgeprobe::compare
