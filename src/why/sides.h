// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "diagnose/input/parts/recorded_pictures.h"
#include "diagnose/tensors/pairs.h"
#include "why/answer.h"

namespace edgeprobe::why {

/// How two shapes belong together.
enum class Fit {
  kSame,      ///< The axes that are longer than 1 are the same.
  kFlat,      ///< One of them is a plain list of as many values.
  kPlanar,    ///< A picture: channels first on one side, last on the other.
  kReshaped,  ///< As many values along other axes: compared in the order of memory.
  kOther,     ///< Another number of values.
};

/// One tensor as real values in the order of its memory.
struct Side {
  TensorSpec spec;  ///< A flat one has the other's shape.
  std::vector<float> values;
};
struct Sides {
  Side app, reference;
  Fit fit = Fit::kOther;
  std::vector<float> fed;  ///< The app's values along the reference's axes; empty for kOther.
  /// Of a picture, the reference's; of several frames each one's.
  std::optional<diagnose::PictureLayout> picture;
  std::size_t frames = 1;  ///< Of a picture.

  const std::vector<float>& wanted() const { return reference.values; }
};

/// kUnsupported for a type that holds no numbers, kUsage for a tensor without a value.
Result<Sides> sides_of(const TensorView& app, const TensorView& reference);
Sides lined_up(Side app, Side reference);
/// With the app in the reference's place. Shapes have to belong together.
Sides exchanged(const Sides& sides);

Distance distance_of(const Sides& sides);
/// As the changes of recorded tensors take them (diagnose/tensors).
diagnose::tensors::Pairs pairs_of(const Sides& sides);
/// How well `made` gives what the app holds. A `unit` is a step of the app's values.
Left left_by(const Sides& sides, const std::vector<float>& made, double unit,
             const std::string& word);

/// Rows, columns, channels of one frame, from the order of a tensor's memory.
std::vector<float> as_rows(const float* values, const diagnose::PictureLayout& layout);

/// How far neighbours lie apart in one frame, measured by the values' own deviation.
double roughness(const std::vector<float>& values, const diagnose::PictureLayout& layout);

/// Whether enough of the values differ from each other to show an order of places: a picture of one
/// bright pixel is any other one, shifted.
bool is_telling(const std::vector<float>& values);

/// Whether 32-bit floats are all numbers of bfloat16.
bool is_of_bfloat16(const Side& side);

/// "1x224x224x3 float32, 0 to 1".
std::string described(const Side& side);

}  // namespace edgeprobe::why
