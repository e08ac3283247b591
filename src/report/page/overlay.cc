// SPDX-License-Identifier: Apache-2.0
#include "report/page/overlay.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/text.h"
#include "kinds/answer_kinds.h"
#include "report/page/html.h"

namespace edgeprobe::report {
namespace {

namespace detection = postprocess::detection;
using detection::Box;
using detection::Report;
using detection::Scale;
using nlohmann::ordered_json;

constexpr std::size_t kMostDrawn = 200, kLongestLabel = 40;
// Coordinates farther out than this many picture sides would only lengthen the SVG.
constexpr double kFarthest = 4;

/// Colour and dash pattern of one side's lines.
struct Pen {
  const char* color;
  const char* dashes;  ///< SVG's stroke-dasharray; "": a solid line.
};
constexpr Pen kApp{"#ffd400", ""}, kExpected{"#00e5ff", "4 3"};

// Factors from coordinates to the picture; empty if unknown.
std::optional<detection::Size> to_picture(Scale scale, const DrawnAnswer& answer) {
  if (scale == Scale::kShares) return answer.picture;
  if (scale != Scale::kModelPixels) return detection::Size{1, 1};
  if (!(answer.model.width > 0) || !(answer.model.height > 0)) return std::nullopt;
  return detection::Size{answer.picture.width / answer.model.width,
                         answer.picture.height / answer.model.height};
}

Box corners(const std::vector<double>& n, Report report) {
  switch (report) {
    case Report::kXyxy: break;
    case Report::kYxyx: return {n[1], n[0], n[3], n[2]};
    case Report::kXywh: return {n[0], n[1], n[0] + n[2], n[1] + n[3]};
    case Report::kCxcywh:
      return {n[0] - n[2] / 2, n[1] - n[3] / 2, n[0] + n[2] / 2, n[1] + n[3] / 2};
    case Report::kYxhw: return {n[1], n[0], n[1] + n[3], n[0] + n[2]};
  }
  return {n[0], n[1], n[2], n[3]};
}

// Numbers of one list entry; empty if there are fewer, or if one is not a number.
std::optional<std::vector<double>> numbers_of(const ordered_json& entry, std::size_t count) {
  std::vector<double> out;
  if (!entry.is_array() || entry.size() < count) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    if (!entry[i].is_number()) return std::nullopt;
    out.push_back(entry[i].get<double>());
    if (!std::isfinite(out.back())) return std::nullopt;
  }
  return out;
}

bool is_near(double x, double y, detection::Size picture) {
  const auto inside = [](double at, double side) {
    return at >= -kFarthest * side && at <= (1 + kFarthest) * side;
  };
  return inside(x, picture.width) && inside(y, picture.height);
}

std::string label_of(const ordered_json& answer, std::size_t at) {
  std::string text;
  if (const auto labels = answer.find("labels"); labels != answer.end() && labels->is_array() &&
                                                 at < labels->size() && (*labels)[at].is_string())
    text = (*labels)[at].get<std::string>();
  else if (const auto classes = answer.find("classes");
           classes != answer.end() && classes->is_array() && at < classes->size() &&
           (*classes)[at].is_number())
    text = "class " + number((*classes)[at].get<double>());
  if (const auto scores = answer.find("scores"); scores != answer.end() && scores->is_array() &&
                                                 at < scores->size() && (*scores)[at].is_number())
    text += (text.empty() ? "" : " ") + number((*scores)[at].get<double>(), 2);
  return text;
}

std::string line_style(const Pen& pen) {
  return std::string("stroke=\"") + pen.color +
         "\" stroke-width=\"2\" vector-effect=\"non-scaling-stroke\"" +
         (pen.dashes[0] ? std::string(" stroke-dasharray=\"") + pen.dashes + "\"" : "");
}

std::string shapes_of(const ordered_json& answer, const detection::Recipe& recipe,
                      const DrawnAnswer& drawn, const Pen& pen) {
  const auto list = answer.find("boxes");
  const auto scale = to_picture(recipe.placement.scale, drawn);
  std::string out;
  if (list == answer.end() || !list->is_array() || !scale) return out;
  const double letter = std::max(drawn.picture.width, drawn.picture.height) / 22;
  for (std::size_t i = 0; i < std::min(list->size(), kMostDrawn); ++i) {
    const auto numbers = numbers_of((*list)[i], 4);
    if (!numbers) continue;
    const Box box = corners(*numbers, recipe.report);
    const double left = std::min(box.x1, box.x2) * scale->width,
                 right = std::max(box.x1, box.x2) * scale->width,
                 top = std::min(box.y1, box.y2) * scale->height,
                 bottom = std::max(box.y1, box.y2) * scale->height;
    if (!is_near(left, top, drawn.picture) || !is_near(right, bottom, drawn.picture)) continue;
    out += "<rect x=\"" + number(left, 5) + "\" y=\"" + number(top, 5) + "\" width=\"" +
           number(right - left, 5) + "\" height=\"" + number(bottom - top, 5) +
           "\" fill=\"none\" " + line_style(pen) + "/>";
    const std::string label = label_of(answer, i);
    if (&pen == &kApp && !label.empty())
      out += "<text x=\"" + number(left + letter / 4, 5) + "\" y=\"" +
             number(std::max(top, 0.0) + letter, 5) + "\" font-size=\"" + number(letter, 3) +
             "\" fill=\"" + pen.color +
             "\" stroke=\"#000\" stroke-width=\"3\" paint-order=\"stroke\" "
             "vector-effect=\"non-scaling-stroke\">" +
             escaped(label, kLongestLabel) + "</text>";
  }
  return out;
}

std::string shapes_of(const ordered_json& answer, const postprocess::pose::Recipe& recipe,
                      const DrawnAnswer& drawn, const Pen& pen) {
  const auto list = answer.find("points");
  const auto scale = to_picture(recipe.placement.scale, drawn);
  std::string out;
  if (list == answer.end() || !list->is_array() || !scale) return out;
  const double radius = std::max(drawn.picture.width, drawn.picture.height) / 110;
  for (std::size_t i = 0; i < std::min(list->size(), kMostDrawn); ++i) {
    const auto numbers = numbers_of((*list)[i], 2);
    if (!numbers) continue;
    const double x = (*numbers)[0] * scale->width, y = (*numbers)[1] * scale->height;
    if (!is_near(x, y, drawn.picture)) continue;
    const std::string label = label_of(answer, i);
    out += "<circle cx=\"" + number(x, 5) + "\" cy=\"" + number(y, 5) + "\" r=\"" +
           number(&pen == &kApp ? radius : 1.7 * radius, 3) + "\" fill=\"" +
           (&pen == &kApp ? pen.color : "none") + "\" " + line_style(pen) + "><title>" +
           escaped(label.empty() ? "point " + std::to_string(i) : label, kLongestLabel) +
           "</title></circle>";
  }
  return out;
}

// Answers of other kinds have no positions to draw.
template <class Other>
std::string shapes_of(const ordered_json&, const Other&, const DrawnAnswer&, const Pen&) {
  return "";
}

// `draw`: takes one side's JSON object and pen, returns shapes.
template <class Draw>
std::string both_sides(const DrawnAnswer& drawn, Draw draw) {
  std::string out;
  const auto add = [&](const std::string& text, const Pen& pen) {
    const auto answer = ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (answer.is_object()) out += draw(answer, pen);
  };
  if (!drawn.expected_json.empty()) add(drawn.expected_json, kExpected);
  add(drawn.app_json, kApp);
  return out;
}

}  // namespace

std::string overlay(const DrawnAnswer& drawn) {
  if (!(drawn.picture.width > 0) || !(drawn.picture.height > 0)) return "";
  const auto recipe = kinds::parse_answer(drawn.recipe);
  if (!recipe) return "";
  const std::string shapes = both_sides(drawn, [&](const ordered_json& answer, const Pen& pen) {
    return std::visit([&](const auto& one) { return shapes_of(answer, one, drawn, pen); }, *recipe);
  });
  if (shapes.empty()) return "";
  return "<svg viewBox=\"0 0 " + number(drawn.picture.width, 6) + " " +
         number(drawn.picture.height, 6) +
         "\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"what the app answered\" "
         "style=\"position:absolute;inset:0;width:100%;height:100%\">" +
         shapes + "</svg>";
}

}  // namespace edgeprobe::report
