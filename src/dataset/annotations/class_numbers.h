// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace edgeprobe::dataset {

/// Numbers of classes by their names: the lines of a file of names, or in the order in which
/// names come.
class ClassNumbers {
 public:
  explicit ClassNumbers(std::vector<std::string> names)
      : names_(std::move(names)), given_(!names_.empty()) {}

  /// Nothing where a file of names was given and does not hold this one.
  std::optional<int> of(std::string_view name) {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return static_cast<int>(i);
    if (given_) return std::nullopt;
    names_.emplace_back(name);
    return static_cast<int>(names_.size() - 1);
  }
  bool are_given() const { return given_; }

 private:
  std::vector<std::string> names_;
  bool given_;
};

}  // namespace edgeprobe::dataset
