// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/shape.h"
#include "model/onnx/proto.h"

/// Infers types and shapes of an operator's outputs from its inputs, for the operators of common
/// networks, without running anything. Unknown facts stay open.
namespace edgeprobe::model::onnx {

/// Known facts about a tensor.
struct Fact {
  bool typed = false;
  DType dtype = DType::kOther;
  std::string stored_type;  ///< For kOther, as in ModelTensor.
  bool ranked = false;
  Shape shape;  ///< -1 for an unknown dimension.
  /// The values of a small int32 or int64 tensor, e.g. the shape input of a Reshape.
  std::optional<std::vector<std::int64_t>> integers;
  std::optional<std::vector<float>> reals;  ///< The same for float32, e.g. the scales of a Resize.
};

inline constexpr std::size_t kMostValues = 64;  ///< Limit for Fact::integers and Fact::reals.
inline constexpr std::size_t kMostFactDimensions = 32;

struct Facts {
  const Node& node;
  std::vector<const Fact*> inputs;  ///< Null for absent ones.
  int opset = 0;                    ///< Version of the operator's set.
  std::size_t outputs = 0;          ///< Number of outputs of the node.

  /// Null if absent.
  const Fact* input(std::size_t at) const { return at < inputs.size() ? inputs[at] : nullptr; }
  /// Null if absent or of unknown rank.
  const Shape* shape(std::size_t at) const {
    return input(at) && input(at)->ranked ? &input(at)->shape : nullptr;
  }
  const std::vector<std::int64_t>* integers(std::size_t at) const {
    return input(at) && input(at)->integers ? &*input(at)->integers : nullptr;
  }
  /// A list of integers, from input `at` or, in older operator sets, from an attribute. Null if
  /// neither is known.
  const std::vector<std::int64_t>* list(std::size_t at, std::string_view attribute) const {
    return input(at) ? integers(at) : node.integers(attribute);
  }
};

/// One fact per output, as far as known; fewer if the rest is unknown.
std::vector<Fact> infer(const Facts& facts);

// Parts of infer(), by the kind of shape computation. Unset: the shape is unknown.
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
/// Results for small integer tensors: Shape, Gather, Concat, Slice, Add, … of known values.
std::optional<std::vector<std::int64_t>> computed_integers(const Facts& facts);

/// `axis` counted from the front; nothing if outside [-rank, rank).
std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank);
/// Nothing if the product exceeds 2^53 in magnitude.
std::optional<std::int64_t> product(const Shape& shape, std::size_t first, std::size_t last);

}  // namespace edgeprobe::model::onnx
