// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace edgeprobe::cli {

/// 300774272 -> "301 M".
std::string count_text(double count);

/// A table with columns as wide as their widest cell; the last one is not padded.
class Columns {
 public:
  /// '<' or '>' for each column.
  explicit Columns(std::string alignment)
      : alignment_(std::move(alignment)), widths_(alignment_.size()) {}

  void add(std::vector<std::string> row);
  void write(std::ostream& out) const;

 private:
  std::string alignment_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace edgeprobe::cli
