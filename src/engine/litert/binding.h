// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/binding.h"
#include "engine/litert/api.h"

namespace edgeprobe::engine::litert {

/// A place with the type of its tensor, at its position in the signature.
struct TypedPlace {
  RankedType type{};
  Place place;
};

/// What a run of a compiled model needs besides its buffers.
struct Run {
  CCompiled* compiled = nullptr;
  std::size_t signature = 0;
  std::function<Error(int status)> failure;
};

/// Runs directly in the places. Null if the library does not accept them as buffers.
std::unique_ptr<Binding> bind_places(const Api& api, Run run, const std::vector<TypedPlace>& inputs,
                                     const std::vector<TypedPlace>& outputs);

}  // namespace edgeprobe::engine::litert
