// SPDX-License-Identifier: Apache-2.0
#include "task/metrics/box.h"

#include <algorithm>

namespace edgeprobe::task {

double overlap(const Box& found, const Box& truth, bool crowd) {
  const double width =
      std::min(found.x + found.width, truth.x + truth.width) - std::max(found.x, truth.x);
  const double height =
      std::min(found.y + found.height, truth.y + truth.height) - std::max(found.y, truth.y);
  if (!(width > 0 && height > 0)) return 0;
  const double both = width * height;
  const double whole = crowd ? found.area() : found.area() + truth.area() - both;
  return whole > 0 ? both / whole : 0;
}

std::optional<BoxForm> box_form(std::string_view text) {
  BoxForm form;
  const std::size_t comma = text.find(',');
  const std::string_view order = text.substr(0, comma);
  using Order = BoxForm::Order;
  if (order == "yxyx") form.order = Order::kYxyx;
  else if (order == "xywh") form.order = Order::kXywh;
  else if (order == "cxcywh") form.order = Order::kCenter;
  else if (order != "xyxy") return std::nullopt;
  if (comma == std::string_view::npos) return form;
  const std::string_view unit = text.substr(comma + 1);
  form.normalized = unit == "normalized";
  if (!form.normalized && unit != "pixels") return std::nullopt;
  return form;
}

Box box_of(const std::array<float, 4>& numbers, const BoxForm& form, double width, double height) {
  const double a = double{numbers[0]}, b = double{numbers[1]}, c = double{numbers[2]},
               d = double{numbers[3]};
  Box box;
  switch (form.order) {
    case BoxForm::Order::kXyxy: box = {a, b, c - a, d - b}; break;
    case BoxForm::Order::kYxyx: box = {b, a, d - b, c - a}; break;
    case BoxForm::Order::kXywh: box = {a, b, c, d}; break;
    case BoxForm::Order::kCenter: box = {a - c / 2, b - d / 2, c, d}; break;
  }
  if (form.normalized)
    box = {box.x * width, box.y * height, box.width * width, box.height * height};
  return box;
}

}  // namespace edgeprobe::task
