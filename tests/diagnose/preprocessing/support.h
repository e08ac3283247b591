// SPDX-License-Identifier: Apache-2.0
// Small pictures and references, for tests of one part of the search at a time.
#pragma once

#include <string>

#include "diagnose/preprocessing/model/frame.h"
#include "diagnose/preprocessing/search/search.h"

namespace edgeprobe::diagnose::testing {

/// A picture without symmetry; each channel differs, and each seed makes another picture.
preprocess::Image picture(int height, int width, unsigned seed = 1);

preprocess::Recipe recipe(const std::string& text);

/// [1, side, side, 3] of float32.
TensorSpec floats(int side);
/// The same for codes.
TensorSpec codes(DType dtype, int side, float scale, std::int64_t zero_point);

/// The reference of a recipe for an input that both models have.
Reference reference(const std::string& recipe, const TensorSpec& input);

/// One frame of an app that prepares the picture with `app`, and the objects that it refers to.
struct Recorded {
  preprocess::Image raw;
  Tensor target;
  Frame frame;
};
/// `app` makes the recorded input; `r` is the reference's recipe for it.
Recorded recorded(const preprocess::Image& raw, const std::string& app, const Reference& reference);

}  // namespace edgeprobe::diagnose::testing
