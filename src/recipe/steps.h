// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

/// The declarations that headers of recipes need.
namespace edgeprobe::recipe {

struct Step;
/// The rows of one kind of recipe (recipe/field.h).
using Steps = std::span<const Step>;

/// A step as it is written, and what it does.
struct Spelled {
  std::string text, meaning;
};

}  // namespace edgeprobe::recipe
