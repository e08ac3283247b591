// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace edgeprobe::recipe {

/// A step as it is written, and what it does.
struct Spelled {
  std::string text, meaning;
};

}  // namespace edgeprobe::recipe
