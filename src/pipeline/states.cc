// SPDX-License-Identifier: Apache-2.0
#include "pipeline/states.h"

#include <algorithm>

#include "core/text.h"

namespace edgeprobe::pipeline {
namespace {

std::string names_of(const std::vector<TensorSpec>& specs) {
  return joined(specs, ", ", [](const TensorSpec& spec) { return in_quotes(spec.name, 100); });
}

Result<std::size_t> place_of(const std::string& name, const std::vector<TensorSpec>& specs,
                             const char* what) {
  const auto at = std::find_if(specs.begin(), specs.end(),
                               [&](const TensorSpec& spec) { return spec.name == name; });
  if (at != specs.end()) return static_cast<std::size_t>(at - specs.begin());
  return Error{ErrorKind::kUsage, "--state: the model has no " + std::string(what) + " '" +
                                      sanitized(name, 100) + "'; its " + what + "s are " +
                                      names_of(specs)};
}

}  // namespace

Result<std::vector<StatePlace>> state_places(const std::vector<CarriedState>& states,
                                             const engine::Session& session) {
  std::vector<StatePlace> places;
  for (const CarriedState& state : states) {
    EP_TRY(const auto output, place_of(state.output, session.outputs(), "output"));
    EP_TRY(const auto input, place_of(state.input, session.inputs(), "input"));
    const TensorSpec &from = session.outputs()[output], &to = session.inputs()[input];
    const bool open = !element_count(from.shape);
    if (from.dtype != to.dtype || (!open && from.shape != to.shape) ||
        !(from.quantization == to.quantization))
      return Error{ErrorKind::kUsage, "--state: output '" + sanitized(from.name, 100) + "' is " +
                                          name(from.dtype) + " [" + to_list(from.shape) +
                                          "], input '" + sanitized(to.name, 100) + "' takes " +
                                          name(to.dtype) + " [" + to_list(to.shape) + "]" +
                                          (from.dtype == to.dtype && from.shape == to.shape
                                               ? " with another scale or zero point"
                                               : "")};
    for (const StatePlace& place : places)
      if (place.input == input)
        return Error{ErrorKind::kUsage,
                     "--state: input '" + sanitized(to.name, 100) + "' is given twice"};
    places.push_back({output, input});
  }
  return places;
}

}  // namespace edgeprobe::pipeline
