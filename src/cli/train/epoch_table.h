// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>

namespace edgeprobe::cli {

/// Prints one line for each epoch as soon as it is complete, below a heading.
class EpochTable {
 public:
  explicit EpochTable(std::ostream& out) : out_(out) {}
  /// `before`: the epoch is of a run that continues.
  void add(const nlohmann::ordered_json& row, bool before);

 private:
  std::ostream& out_;
  bool has_heading_ = false;
};

}  // namespace edgeprobe::cli
