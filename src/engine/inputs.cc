// SPDX-License-Identifier: Apache-2.0
#include "engine/inputs.h"

#include <algorithm>
#include <functional>

#include "core/text.h"

namespace edgeprobe::engine {
namespace {

std::string input_text(const TensorSpec& spec, std::size_t index) {
  return "input " + std::to_string(index) + " " + in_quotes(spec.name, 160);
}

}  // namespace

Status check_inputs(const std::vector<TensorSpec>& specs, const std::vector<TensorView>& inputs) {
  if (inputs.size() != specs.size())
    return Error{ErrorKind::kUsage, "the model takes " + std::to_string(specs.size()) +
                                        " inputs, " + std::to_string(inputs.size()) +
                                        " were given"};
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const TensorSpec& want = specs[i];
    const TensorSpec* const have = inputs[i].spec;
    if (!have) return Error{ErrorKind::kUsage, input_text(want, i) + " was not given"};
    if (have->dtype != want.dtype || have->shape != want.shape)
      return Error{ErrorKind::kUsage, input_text(want, i) + " must be " + name(want.dtype) + " " +
                                          to_text(want.shape) + ", " + name(have->dtype) + " " +
                                          to_text(have->shape) + " was given"};
    if (inputs[i].bytes.size != want.byte_size())
      return Error{ErrorKind::kUsage, input_text(want, i) + " must have " +
                                          std::to_string(want.byte_size().value_or(0)) +
                                          " bytes, " + std::to_string(inputs[i].bytes.size) +
                                          " were given"};
  }
  return {};
}

Status check_places(const std::vector<TensorSpec>& specs, const std::vector<Place>& places,
                    const char* role) {
  if (specs.size() != places.size())
    return Error{ErrorKind::kUsage, std::to_string(places.size()) + " places for " +
                                        std::to_string(specs.size()) + " " + role + "s"};
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto size = specs[i].byte_size();
    if (size == places[i].size && (size == 0u || places[i].data)) continue;
    return Error{ErrorKind::kUsage, std::string(role) + " '" + sanitized(specs[i].name) +
                                        "' of shape " + to_text(specs[i].shape) +
                                        " does not fit a place of " +
                                        std::to_string(places[i].size) + " bytes"};
  }
  return {};
}

bool overlap(const std::vector<Place>& inputs, const std::vector<Place>& outputs) {
  const auto meet = [](const Place& a, const Place& b) {
    return std::less<>()(a.data, b.data + b.size) && std::less<>()(b.data, a.data + a.size);
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const Place& input : inputs)
      if (meet(outputs[i], input)) return true;
    for (std::size_t k = i + 1; k < outputs.size(); ++k)
      if (meet(outputs[i], outputs[k])) return true;
  }
  return false;
}

Result<std::vector<Shape>> requested_shapes(const std::vector<TensorSpec>& specs,
                                            const std::map<std::string, Shape>& asked) {
  for (const auto& [wanted, shape] : asked) {
    const auto same = [&wanted = wanted](const TensorSpec& spec) { return spec.name == wanted; };
    if (std::none_of(specs.begin(), specs.end(), same)) {
      std::string names;
      for (const TensorSpec& spec : specs)
        names += (names.empty() ? "'" : ", '") + sanitized(spec.name) + "'";
      return Error{ErrorKind::kUsage, "a shape was given for input '" + sanitized(wanted) +
                                          "', which the model does not have; its inputs are " +
                                          names};
    }
  }
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto found = asked.find(specs[i].name);
    TensorSpec resized = specs[i];
    if (found != asked.end()) resized.shape = found->second;
    for (std::int64_t& dimension : resized.shape) {
      // Open in the model and not given by the caller: 1, as in the runtimes themselves.
      if (dimension < 0 && found == asked.end()) dimension = 1;
      if (dimension < 1)
        return Error{ErrorKind::kUsage, input_text(specs[i], i) + " cannot have shape " +
                                            to_text(resized.shape) +
                                            ": every dimension must be at least 1"};
    }
    const auto bytes = resized.byte_size();
    if (resized.dtype != DType::kOther && (!bytes || *bytes > kTensorLimit))
      return Error{ErrorKind::kLimit, input_text(specs[i], i) + " of shape " +
                                          to_text(resized.shape) + " would exceed the limit of " +
                                          bytes_text(static_cast<double>(kTensorLimit))};
    shapes.push_back(std::move(resized.shape));
  }
  return shapes;
}

std::string one_sentence(std::string_view lines, std::size_t longest) {
  std::string joined;
  bool gap = false;
  for (const char letter : lines) {
    if (letter == '\n' || letter == '\r' || letter == '\t' || letter == ' ') {
      gap = !joined.empty();
      continue;
    }
    if (gap) joined += ' ';
    gap = false;
    joined += letter;
  }
  while (!joined.empty() && joined.back() == '.') joined.pop_back();
  return sanitized(joined, longest);
}

}  // namespace edgeprobe::engine
