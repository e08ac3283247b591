// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

/// Forward declarations for headers of recipes.
namespace edgeprobe::recipe {

struct Step;
/// The rows of one kind of recipe (recipe/field.h).
using Steps = std::span<const Step>;

/// A step as written, and its description.
struct Spelled {
  std::string text, meaning;
};

}  // namespace edgeprobe::recipe
