// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "compare/options/options.h"

/// Reads one operator into the words of options.h. Internal to this folder.
namespace edgeprobe::compare {

using Wholes = std::vector<std::int64_t>;
inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// One layer with its attributes; omitted ones have the format's default.
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
  /// Values of a constant input; nothing if it is absent, computed or long.
  std::optional<std::vector<double>> numbers(std::size_t slot) const;
  std::optional<Wholes> whole_numbers(std::size_t slot) const;
  /// Null if unknown, or there is no input or output at that index.
  const Shape* input_shape(std::size_t slot) const;
  const Shape* output_shape() const;
  /// Height and width, or all spatial dimensions; empty if the shape is unknown.
  Wholes spatial(const Shape* shape) const;
  /// The axis counted from the front.
  std::int64_t counted(std::int64_t axis, const Shape* of) const;

 private:
  const OptionSource& source_;
  const model::Layer& layer_;
  const model::Attributes& attributes_;
};

/// A window's movement, resolved to numbers.
struct Window {
  Wholes size, stride, dilation, before, after;
  Wholes input, output;    ///< Empty if the file does not state them.
  bool ceil = false;       ///< Rounds the number of places up, which adds one.
  std::string unresolved;  ///< "SAME_UPPER": the padding depends on unknown shapes.
};
/// Sets the options of a window; `transposed`: of a transposed convolution.
void put_window(const Window& window, bool transposed, OperatorOptions& into);
Window window_of_tflite(const OperatorReader& op, bool transposed);
Window window_of_onnx(const OperatorReader& op, bool transposed);

/// Adds the padding that SAME or VALID implies for this window.
Window padded(Window window, bool same, bool transposed);

}  // namespace edgeprobe::compare
