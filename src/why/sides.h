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

/// How two shapes correspond.
enum class Fit {
  kSame,      ///< Equal axes, ignoring those of length 1.
  kFlat,      ///< One of them is a flat list with as many values.
  kPlanar,    ///< A picture: channels first on one side, last on the other.
  kReshaped,  ///< As many values along other axes: compared in memory order.
  kOther,     ///< A different number of values.
};

/// One tensor as real values in memory order.
struct Side {
  TensorSpec spec;  ///< A flat one gets the other's shape.
  std::vector<float> values;
};
struct Sides {
  Side app, reference;
  Fit fit = Fit::kOther;
  std::vector<float> fed;  ///< The app's values along the reference's axes; empty for kOther.
  /// Layout of the reference's picture; with several frames, of each one.
  std::optional<diagnose::PictureLayout> picture;
  std::size_t frames = 1;  ///< For a picture.

  const std::vector<float>& wanted() const { return reference.values; }
};

/// kUnsupported for a non-numeric type, kUsage for a tensor without values.
Result<Sides> sides_of(const TensorView& app, const TensorView& reference);
Sides lined_up(Side app, Side reference);
/// With app and reference swapped. The shapes must correspond.
Sides exchanged(const Sides& sides);

Distance distance_of(const Sides& sides);
/// In the form for changes of recorded tensors (diagnose/tensors).
diagnose::tensors::Pairs pairs_of(const Sides& sides);
/// How well `made` reproduces the app's values. A `unit` is a step of the app's values.
Left left_by(const Sides& sides, const std::vector<float>& made, double unit,
             const std::string& word);

/// Rows, columns, channels of one frame, from a tensor in memory order.
std::vector<float> as_rows(const float* values, const diagnose::PictureLayout& layout);

/// Distance between neighbours in one frame, relative to the values' own deviation.
double roughness(const std::vector<float>& values, const diagnose::PictureLayout& layout);

/// True if enough values differ to reveal an order: a picture with one bright pixel looks like any
/// shift of itself.
bool is_telling(const std::vector<float>& values);

/// True if all 32-bit floats are bfloat16 numbers.
bool is_of_bfloat16(const Side& side);

/// "1x224x224x3 float32, 0 to 1".
std::string described(const Side& side);

}  // namespace edgeprobe::why
