// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "diagnose/verdict/evidence.h"

namespace edgeprobe::report {

/// Values of one statement by name. A missing value reads as NaN, 0, "" or an empty list: a
/// sentence never fails.
class Values {
 public:
  template <class Kind>
  explicit Values(const diagnose::Statement<Kind>& statement) : values_(statement.values) {}

  bool has(const char* name) const { return values_.count(name) > 0; }
  double real(const char* name) const {
    if (const auto* number = held<double>(name)) return *number;
    const auto* whole = held<std::int64_t>(name);
    return whole ? static_cast<double>(*whole) : std::numeric_limits<double>::quiet_NaN();
  }
  std::int64_t whole(const char* name) const {
    const auto* number = held<std::int64_t>(name);
    return number ? *number : 0;
  }
  std::string text(const char* name) const {
    const auto* words = held<std::string>(name);
    return words ? *words : "";
  }
  std::vector<double> list(const char* name) const {
    const auto* numbers = held<std::vector<double>>(name);
    return numbers ? *numbers : std::vector<double>{};
  }

 private:
  template <class Type>
  const Type* held(const char* name) const {
    const auto at = values_.find(name);
    return at == values_.end() ? nullptr : std::get_if<Type>(&at->second.held());
  }

  const std::map<std::string, diagnose::Value>& values_;
};

}  // namespace edgeprobe::report
