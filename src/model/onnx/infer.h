// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/shape.h"
#include "model/onnx/proto.h"

/// What an operator's outputs are, from what its inputs are: enough for the operators of the usual
/// networks, without running anything. What is not known here stays open.
namespace edgeprobe::model::onnx {

/// What is known of a tensor.
struct Fact {
  bool typed = false;
  DType dtype = DType::kOther;
  std::string stored_type;  ///< For kOther, as in ModelTensor.
  bool ranked = false;
  Shape shape;  ///< -1 for a dimension that is not known.
  /// The values of a small int32 or int64 tensor, e.g. the shape that a Reshape is given.
  std::optional<std::vector<std::int64_t>> integers;
  std::optional<std::vector<float>> reals;  ///< The same for float32, e.g. the scales of a Resize.
};

inline constexpr std::size_t kMostValues = 64;  ///< Of Fact::integers and Fact::reals.
inline constexpr std::size_t kMostFactDimensions = 32;

struct Facts {
  const Node& node;
  std::vector<const Fact*> inputs;  ///< Null where one is absent.
  int opset = 0;                    ///< Version of the operator's set.
  std::size_t outputs = 0;          ///< How many the node has.

  /// Null when absent.
  const Fact* input(std::size_t at) const { return at < inputs.size() ? inputs[at] : nullptr; }
  /// Null when absent or of unknown rank.
  const Shape* shape(std::size_t at) const {
    return input(at) && input(at)->ranked ? &input(at)->shape : nullptr;
  }
  const std::vector<std::int64_t>* integers(std::size_t at) const {
    return input(at) && input(at)->integers ? &*input(at)->integers : nullptr;
  }
  /// A list of whole numbers, as the input `at` or, in older operator sets, as an attribute. Null
  /// when neither is known.
  const std::vector<std::int64_t>* list(std::size_t at, std::string_view attribute) const {
    return input(at) ? integers(at) : node.integers(attribute);
  }
};

/// One fact an output, as far as they are known; fewer where the rest is not.
std::vector<Fact> infer(const Facts& facts);

// The parts of infer(), by what an operator does with its shapes. Nothing: the shape is not known.
using Inferred = std::optional<Shape>;
/// Conv, ConvInteger, QLinearConv: data and filter are inputs `data` and `filter`.
Inferred convolved(const Facts& facts, std::size_t data, std::size_t filter);
Inferred transposed_convolved(const Facts& facts);
Inferred pooled(const Facts& facts);
Inferred globally_pooled(const Facts& facts);
Inferred multiplied(const Facts& facts, std::size_t a, std::size_t b);  ///< MatMul.
Inferred gemm(const Facts& facts, std::size_t a, std::size_t b);
Inferred broadcast(const std::vector<const Shape*>& shapes);
/// Operators that only move values: Reshape, Transpose, Concat, Slice, …; nothing for other types.
std::optional<std::vector<Fact>> moved(const Facts& facts);
/// What small integers become: Shape, Gather, Concat, Slice, Add, … on values that are known.
std::optional<std::vector<std::int64_t>> computed_integers(const Facts& facts);

/// `axis` counted from the front; nothing outside of [-rank, rank).
std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank);
/// Nothing where the product passes 2^53 in magnitude.
std::optional<std::int64_t> product(const Shape& shape, std::size_t first, std::size_t last);

}  // namespace edgeprobe::model::onnx
