// SPDX-License-Identifier: Apache-2.0
#include "engine/options.h"

#include <algorithm>
#include <initializer_list>

namespace edgeprobe::engine {
namespace {

/// The element of `values` with this name.
template <class E>
std::optional<E> from_name(std::initializer_list<E> values, std::string_view text) {
  const auto at =
      std::find_if(values.begin(), values.end(), [text](E value) { return text == name(value); });
  return at == values.end() ? std::nullopt : std::optional(*at);
}

}  // namespace

const char* name(Kernels kernels) {
  switch (kernels) {
    case Kernels::kXnnpack: return "xnnpack";
    case Kernels::kBuiltin: return "builtin";
    case Kernels::kReference: return "reference";
  }
  return "unknown";
}

std::optional<Kernels> kernels_from_name(std::string_view text) {
  return from_name({Kernels::kXnnpack, Kernels::kBuiltin, Kernels::kReference}, text);
}

std::string name_of(const Delegate& delegate) {
  switch (delegate.kind) {
    case Delegate::Kind::kExternal: return delegate.library.string();
    case Delegate::Kind::kGpu: return "gpu";
    case Delegate::Kind::kNnapi: return "nnapi";
  }
  return "unknown";
}

const char* name(Optimization level) {
  switch (level) {
    case Optimization::kOff: return "off";
    case Optimization::kBasic: return "basic";
    case Optimization::kExtended: return "extended";
    case Optimization::kAll: return "all";
    case Optimization::kFile: return "file";
  }
  return "unknown";
}

std::optional<Optimization> optimization_from_name(std::string_view text) {
  return from_name({Optimization::kOff, Optimization::kBasic, Optimization::kExtended,
                    Optimization::kAll, Optimization::kFile},
                   text);
}

const char* name(Precision precision) {
  return precision == Precision::kFloat32 ? "f32" : "engine";
}

std::optional<Precision> precision_from_name(std::string_view text) {
  return from_name({Precision::kFloat32, Precision::kEngine}, text);
}

}  // namespace edgeprobe::engine
