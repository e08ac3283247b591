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

/// Intersection over union, 0..1. With a crowd as the truth, which has no border of its own:
/// intersection over the found box.
double overlap(const Box& found, const Box& truth, bool crowd = false);

/// What an app's four numbers of a box mean.
struct BoxForm {
  enum class Order { kXyxy, kYxyx, kXywh, kCenter } order = Order::kXyxy;
  bool normalized = false;  ///< 0..1 of the picture, points as well.
  bool operator==(const BoxForm&) const = default;
};
/// "xyxy", "yxyx", "xywh" or "cxcywh", then ",pixels" or ",normalized"; nothing for others.
std::optional<BoxForm> box_form(std::string_view text);

/// The box that four numbers are in a picture of this size.
Box box_of(const std::array<float, 4>& numbers, const BoxForm& form, double width, double height);

}  // namespace edgeprobe::task
