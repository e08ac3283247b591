// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace edgeprobe::task {

/// ASCII letters in lower case: apps write names of classes in capitals or not.
inline std::string lower_case(std::string name) {
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return name;
}

}  // namespace edgeprobe::task
