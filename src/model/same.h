// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "model/graph.h"

/// Checks that a copy of a model file has only the intended differences. Internal to this folder.
namespace edgeprobe::model {

/// FlatBuffers' references and protobuf's lengths have this range; engines refuse larger files.
inline constexpr std::size_t kMostBytes = (std::size_t{1} << 31) - 1;

bool same(const ModelTensor& a, const ModelTensor& b);
/// Operators with the same inputs, outputs and work, at any position.
bool same(const Layer& a, const Layer& b);
template <class T>
bool same_all(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}

}  // namespace edgeprobe::model
