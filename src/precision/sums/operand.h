// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "precision/sums/operation.h"

namespace edgeprobe::precision {

// Not inlined: g++ 12 would warn about reading past the copied text, which does not happen.
[[gnu::noinline]] inline Error unknown(const std::string& what) {
  return {ErrorKind::kUnsupported, what + " is not emulated"};
}

/// The attribute with that name and type, or else `otherwise`.
template <class T>
T attribute(const model::Attributes& all, std::string_view name, T otherwise) {
  for (const model::Attribute& one : all)
    if (one.name == name)
      if (const T* value = std::get_if<T>(&one.value)) return *value;
  return otherwise;
}
/// At least 1.
inline std::size_t whole(const model::Attributes& all, std::string_view name,
                         std::int64_t otherwise) {
  return static_cast<std::size_t>(std::max<std::int64_t>(1, attribute(all, name, otherwise)));
}

/// Empty if absent.
inline std::vector<float> bias_of(const Sum& work, std::size_t input) {
  return work.inputs.size() > input && work.inputs[input] ? work.inputs[input]->values
                                                          : std::vector<float>{};
}

/// [N][C][H W] to [N][H W][C], or back.
inline std::vector<float> exchanged(const std::vector<float>& values, std::size_t n, std::size_t a,
                                    std::size_t b) {
  std::vector<float> out(values.size());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t x = 0; x < a; ++x)
      for (std::size_t y = 0; y < b; ++y) out[(i * b + y) * a + x] = values[(i * a + x) * b + y];
  return out;
}

}  // namespace edgeprobe::precision
