// SPDX-License-Identifier: Apache-2.0
#include "serve/places.h"

#include <algorithm>

#include "core/text.h"

namespace edgeprobe::serve {

std::string described(const std::vector<TensorSpec>& specs) {
  std::string text;
  for (const TensorSpec& spec : specs)
    text += (text.empty() ? "" : ", ") + ("'" + sanitized(spec.name, 60) + "' ") +
            to_text(spec.shape) + " " + name(spec.dtype);
  return text;
}

Result<std::vector<TensorPlace>> places_of(const std::vector<protocol::IoTensor>& theirs,
                                           const std::vector<TensorSpec>& ours, const char* what) {
  std::vector<TensorPlace> places(ours.size());
  for (std::size_t i = 0; i < ours.size(); ++i) places[i].index = i;
  if (theirs.empty()) return places;
  if (theirs.size() != ours.size())
    return Error{ErrorKind::kUsage, "IO_SPEC lists " + std::to_string(theirs.size()) + " " + what +
                                        "; the model has " + std::to_string(ours.size()) + ": " +
                                        described(ours)};
  std::vector<std::size_t> named;
  for (const protocol::IoTensor& tensor : theirs) {
    const auto found = std::find_if(ours.begin(), ours.end(), [&](const TensorSpec& spec) {
      return spec.name == tensor.spec.name;
    });
    if (found == ours.end()) break;
    const auto index = static_cast<std::size_t>(found - ours.begin());
    if (std::find(named.begin(), named.end(), index) != named.end()) break;
    named.push_back(index);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    TensorPlace& place = places[i];
    if (named.size() == places.size()) place.index = named[i];
    const auto outside = theirs[i].prequantized;
    place.is_prequantized = outside && *outside != ours[place.index].dtype;
    if (place.is_prequantized && *outside != DType::kFloat32)
      return Error{ErrorKind::kUnsupported, "IO_SPEC: '" + sanitized(theirs[i].spec.name, 60) +
                                                "' has prequantized_dtype " + name(*outside) +
                                                "; float32 is what is quantised here"};
  }
  return places;
}

bool travels_as_float(const TensorPlace& place, const TensorSpec& spec, Floats floats) {
  if (spec.dtype == DType::kFloat32) return false;
  return floats == Floats::kAll || (floats == Floats::kDescribed && place.is_prequantized);
}

std::size_t wire_bytes(const TensorSpec& spec, bool as_float) {
  if (as_float) return element_count(spec.shape).value_or(0) * sizeof(float);
  return spec.byte_size().value_or(0);
}

std::optional<Floats> floats_in(std::size_t bytes, const std::vector<TensorPlace>& inputs,
                                const std::vector<TensorPlace>& outputs,
                                const std::vector<TensorSpec>& specs) {
  const auto is_size_of = [&](Floats floats) {
    std::size_t size = 0;
    for (const TensorPlace& input : inputs) {
      const TensorSpec& spec = specs.at(input.index);
      size += wire_bytes(spec, travels_as_float(input, spec, floats));
    }
    return size == bytes;
  };
  const auto is_prequantized = [](const TensorPlace& place) { return place.is_prequantized; };
  const bool is_described = std::any_of(inputs.begin(), inputs.end(), is_prequantized) ||
                            std::any_of(outputs.begin(), outputs.end(), is_prequantized);
  // Floats have the size of int32 codes: the description takes priority.
  if (is_described && is_size_of(Floats::kDescribed)) return Floats::kDescribed;
  for (const Floats floats : {Floats::kNone, Floats::kAll})
    if (is_size_of(floats)) return floats;
  return std::nullopt;
}

}  // namespace edgeprobe::serve
