// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tensors/axes.h"

#include "core/text.h"

namespace edgeprobe::diagnose::tensors {
namespace {

// Two axes are rows and columns; with one axis or none, positions are values.
const char* noun(const Axis& axis) {
  if (axis.of <= 1) return "value";
  if (axis.of > 2) return "place";
  return axis.inner == 1 ? "column" : "row";
}
std::string of_axis(const Axis& axis) {
  return axis.of > 2 ? " of axis " + std::to_string(axis.number) : "";
}

}  // namespace

std::string Axis::name(std::size_t slice) const {
  return std::string(noun(*this)) + " " + std::to_string(slice) + of_axis(*this);
}
std::string Axis::one() const { return noun(*this) + of_axis(*this); }
std::string Axis::names() const { return std::string(noun(*this)) + "s" + of_axis(*this); }
std::string Axis::counted_names(std::size_t count) const {
  return counted(count, noun(*this)) + of_axis(*this);
}

std::vector<Axis> all_axes(const Shape& shape) {
  std::vector<Axis> axes;
  std::size_t values = 1, outer = 1, longer = 0;
  for (const std::int64_t size : shape) {
    values *= static_cast<std::size_t>(size);
    longer += size > 1;
  }
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const auto size = static_cast<std::size_t>(shape[k]);
    if (size > 1) axes.push_back({k, outer, size, values / outer / size, longer});
    outer *= size;
  }
  return axes;
}

}  // namespace edgeprobe::diagnose::tensors
