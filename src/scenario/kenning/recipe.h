// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace edgeprobe::scenario::kenning {

/// A data set of Kenning, and what it was told of its pictures; "": its default.
struct Pictures {
  std::string dataset;
  std::string layout, width, height, preprocess, part;
};

/// Where its samples lie, and what Kenning does to them, as a recipe.
struct Data {
  std::string folder, labels, recipe;
};
Data data_of(const Pictures& pictures, const std::string& root);

}  // namespace edgeprobe::scenario::kenning
