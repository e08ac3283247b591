// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "compare/options/options.h"

/// Reading of one operator for the words of options.h. Internal to this folder.
namespace edgeprobe::compare {

using Wholes = std::vector<std::int64_t>;
inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// One layer with its attributes; what its file leaves out has the format's default.
class OperatorReader {
 public:
  OperatorReader(const OptionSource& source, int layer);

  const model::Layer& layer() const { return layer_; }
  bool is_tflite() const { return source_.graph.format == "tflite"; }
  std::optional<model::AttributeValue> value(const std::string& name) const;
  std::int64_t whole(const std::string& name, std::int64_t absent) const;
  double real(const std::string& name, double absent) const;
  std::string text(const std::string& name, const std::string& absent) const;
  std::optional<Wholes> wholes(const std::string& name) const;
  /// Of a constant input; nothing when it is absent, computed or long.
  std::optional<std::vector<double>> numbers(std::size_t slot) const;
  std::optional<Wholes> whole_numbers(std::size_t slot) const;
  /// Null: not known, or there is no such input or output.
  const Shape* input_shape(std::size_t slot) const;
  const Shape* output_shape() const;
  /// Height and width, or as many dimensions as there are; empty when the shape is not known.
  Wholes spatial(const Shape* shape) const;
  /// An axis counted from the front.
  std::int64_t counted(std::int64_t axis, const Shape* of) const;

 private:
  const OptionSource& source_;
  const model::Layer& layer_;
  const model::Attributes& attributes_;
};

/// How a window moves, resolved to numbers.
struct Window {
  Wholes size, stride, dilation, before, after;
  Wholes input, output;    ///< Empty when the file does not tell them.
  bool ceil = false;       ///< Rounds the number of places up, and that makes one more.
  std::string unresolved;  ///< "SAME_UPPER": padding that needs shapes which are not known.
};
/// `transposed`: of a transposed convolution.
void put_window(const Window& window, bool transposed, OperatorOptions& into);
Window window_of_tflite(const OperatorReader& op, bool transposed);
Window window_of_onnx(const OperatorReader& op, bool transposed);

/// Padding as SAME or VALID gives it for this window.
Window padded(Window window, bool same, bool transposed);

}  // namespace edgeprobe::compare
