// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace edgeprobe::probe {

/// Which tensors are logged: patterns over "stage/name" with * (any bytes) and ? (one), apart by
/// spaces.
class Patterns {
 public:
  /// No `include`: all.
  Patterns(std::string_view include, std::string_view exclude);
  bool wants(std::string_view text) const;

 private:
  std::vector<std::string> include_, exclude_;
};

}  // namespace edgeprobe::probe
