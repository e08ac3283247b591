// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace edgeprobe::task {

/// An upright rectangle in pixels; x and y are its upper left corner.
struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  double area() const { return width * height; }
  bool operator==(const Box&) const = default;
};

/// Intersection over union, 0..1. If the truth is a crowd, which has no exact border: intersection
/// over the found box.
double overlap(const Box& found, const Box& truth, bool crowd = false);

/// Meaning of the four numbers that an app stores for a box.
struct BoxForm {
  enum class Order { kXyxy, kYxyx, kXywh, kCenter } order = Order::kXyxy;
  bool normalized = false;  ///< 0..1 of the picture, including points.
  bool operator==(const BoxForm&) const = default;
};
/// Parses "xyxy", "yxyx", "xywh" or "cxcywh", then ",pixels" or ",normalized"; empty for others.
std::optional<BoxForm> box_form(std::string_view text);

/// Converts four numbers to a box in a picture of this size.
Box box_of(const std::array<float, 4>& numbers, const BoxForm& form, double width, double height);

}  // namespace edgeprobe::task
