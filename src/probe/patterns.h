// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace edgeprobe::probe {

/// Selects tensors by patterns over "stage/name" with * (any bytes) and ? (one), separated by
/// spaces.
class Patterns {
 public:
  /// An empty `include` means all.
  Patterns(std::string_view include, std::string_view exclude);
  bool wants(std::string_view text) const;

 private:
  std::vector<std::string> include_, exclude_;
};

}  // namespace edgeprobe::probe
