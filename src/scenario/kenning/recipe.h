// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace edgeprobe::scenario::kenning {

/// A Kenning data set, and its options for pictures; "": its default.
struct Pictures {
  std::string dataset;
  std::string layout, width, height, preprocess, part;
  std::string classify, object, area;
};

/// Location of its samples, with their annotations where it is one of `--data LAYOUT:FOLDER`, and
/// Kenning's processing of them, as a recipe.
struct Data {
  std::string folder, recipe;
  bool is_layout = false;
};
Data data_of(const Pictures& pictures, const std::string& root);

}  // namespace edgeprobe::scenario::kenning
