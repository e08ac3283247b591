// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/text.h"
#include "report/page/html.h"
#include "report/page/parts.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

constexpr std::size_t kFewestDrawn = 5;  // With fewer, a table is enough.
constexpr std::size_t kMostDots = 400;   // Beyond this, only the line is drawn.
constexpr int kLowestDecade = -9;        // Smaller drift is drawn at this decade.
constexpr int kHighestDecade = 3;

struct Frame {
  const char* name;
  double width, height, left, right, top, bottom;
  double plot_width() const { return width - left - right; }
  double plot_height() const { return height - top - bottom; }
};
constexpr Frame kWide{"wide", 960, 300, 64, 16, 22, 44};
constexpr Frame kNarrow{"narrow", 360, 260, 48, 10, 22, 44};

// Decades low..high contain every positive drift; the band below low is "0".
struct Axis {
  int low = -3, high = 0;
  double y(const Frame& frame, double drift) const {
    const double rows = high - low + 1;  // One extra row for zero.
    const double up = drift > 0 ? std::log10(drift) - low + 1 : 0;
    return frame.top +
           frame.plot_height() * (1 - std::clamp(up, drift > 0 ? 1.0 : 0.0, rows) / rows);
  }
};

Axis axis_of(const std::vector<diagnose::LayerDrift>& layers) {
  double least = 0, most = 0;
  for (const diagnose::LayerDrift& layer : layers) {
    const double value = drift(layer).value_or(0);
    if (value <= 0) continue;
    least = least == 0 ? value : std::min(least, value);
    most = std::max(most, value);
  }
  Axis axis;
  if (most == 0) return axis;
  axis.low = std::clamp(static_cast<int>(std::floor(std::log10(least))), kLowestDecade,
                        kHighestDecade - 1);
  axis.high =
      std::clamp(static_cast<int>(std::ceil(std::log10(most))), axis.low + 1, kHighestDecade);
  return axis;
}

std::string at(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.1f", value);
  std::replace(buffer.begin(), buffer.end(), ',', '.');
  return buffer.data();
}

std::string decade_text(int exponent) {
  if (exponent >= -3 && exponent <= 3) return number(std::pow(10, exponent));
  return "1e" + std::to_string(exponent);
}

std::string text_at(double x, double y, const char* css, const std::string& text) {
  return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" class=\"" + css + "\">" + text + "</text>";
}

std::string grid(const Frame& frame, const Axis& axis) {
  std::string out;
  const auto row = [&](double y, const std::string& label) {
    out += "<line class=\"grid\" x1=\"" + at(frame.left) + "\" x2=\"" +
           at(frame.width - frame.right) + "\" y1=\"" + at(y) + "\" y2=\"" + at(y) + "\"/>" +
           text_at(frame.left - 8, y + 4, "tick end", label);
  };
  row(axis.y(frame, 0), "0");
  for (int exponent = axis.low; exponent <= axis.high; ++exponent)
    row(axis.y(frame, std::pow(10, exponent)), decade_text(exponent));
  return out;
}

class Positions {
 public:
  Positions(const Frame& frame, std::size_t count) : frame_(frame), count_(count) {}
  double operator()(std::size_t i) const {
    if (count_ < 2) return frame_.left + frame_.plot_width() / 2;
    return frame_.left +
           frame_.plot_width() * (static_cast<double>(i) + 0.5) / static_cast<double>(count_);
  }

 private:
  const Frame& frame_;
  std::size_t count_;
};

std::string curve(const Frame& frame, const Axis& axis,
                  const std::vector<diagnose::LayerDrift>& layers) {
  const Positions x(frame, layers.size());
  const bool dots = layers.size() <= kMostDots;
  std::string path, marks;
  bool pen_down = false;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::optional<double> value = drift(layers[i]);
    if (!value) {
      pen_down = false;
      marks += "<line class=\"gap\" x1=\"" + at(x(i)) + "\" x2=\"" + at(x(i)) + "\" y1=\"" +
               at(frame.top) + "\" y2=\"" + at(frame.top + frame.plot_height()) + "\"/>";
      continue;
    }
    const double y = axis.y(frame, *value);
    // The empty segment makes a single point between two gaps visible as a dot.
    path += (pen_down ? "L" : "M") + at(x(i)) + " " + at(y) + (pen_down ? "" : "h0");
    pen_down = true;
    if (dots)
      marks += "<circle class=\"" + std::string(layers[i].index < 0 ? "dot input" : "dot") +
               "\" cx=\"" + at(x(i)) + "\" cy=\"" + at(y) + "\" r=\"" +
               (layers[i].index < 0  ? "5"
                : layers.size() > 80 ? "2"
                                     : "3.5") +
               "\"><title>" + index_text(layers[i]) + " " + escaped(layers[i].name, 80) + ": " +
               drift_text(layers[i]) + "</title></circle>";
  }
  return "<path class=\"curve\" d=\"" + path + "\"/>" + marks;
}

std::string ticks(const Frame& frame, const std::vector<diagnose::LayerDrift>& layers) {
  const Positions x(frame, layers.size());
  const double y = frame.top + frame.plot_height() + 18;
  const std::size_t most = frame.width > 500 ? 12 : 5;
  const std::size_t stride = std::max<std::size_t>(1, (layers.size() + most - 1) / most);
  std::string out;
  for (std::size_t i = 0; i < layers.size(); i += stride)
    out += text_at(x(i), y, "tick middle", index_text(layers[i]));
  return out + text_at(frame.left + frame.plot_width() / 2, frame.height - 6, "tick middle",
                       "layer, in execution order");
}

std::string worst_label(const Frame& frame, const Axis& axis,
                        const std::vector<diagnose::LayerDrift>& layers) {
  std::size_t worst = layers.size();
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (drift(layers[i]).value_or(0) > (worst < layers.size() ? *drift(layers[worst]) : 0))
      worst = i;
  if (worst == layers.size()) return "";
  const double x = Positions(frame, layers.size())(worst);
  const bool from_left = x < frame.left + frame.plot_width() / 2;
  const std::string name = sanitized(layers[worst].name, frame.width > 500 ? 48 : 20);
  return text_at(x + (from_left ? 9 : -9), std::max(axis.y(frame, *drift(layers[worst])) - 8, 12.0),
                 from_left ? "worst" : "worst end",
                 escaped(name) + " " + decimals(drift(layers[worst]), 4));
}

std::string chart(const Frame& frame, const Axis& axis,
                  const std::vector<diagnose::LayerDrift>& layers, const std::string& summary) {
  const std::string id = std::string("drift-") + frame.name;
  return "<svg class=\"chart " + std::string(frame.name) + "\" viewBox=\"0 0 " + at(frame.width) +
         " " + at(frame.height) + "\" role=\"img\" aria-labelledby=\"" + id + "\"><title id=\"" +
         id + "\">" + summary + "</title>" + grid(frame, axis) + curve(frame, axis, layers) +
         ticks(frame, layers) + worst_label(frame, axis, layers) + "</svg>\n";
}

}  // namespace

std::string drift_chart(const std::vector<diagnose::LayerDrift>& layers) {
  const auto count = [&](auto&& test) { return std::count_if(layers.begin(), layers.end(), test); };
  const auto gaps = count([](const auto& layer) { return !drift(layer); });
  const auto positive = count([](const auto& layer) { return drift(layer).value_or(0) > 0; });
  if (positive == 0) {
    if (layers.empty()) return "<p>No layers were compared.</p>\n";
    if (gaps == 0)
      return "<p>Every compared tensor is equal bit for bit; there is no drift to draw.</p>\n";
    return "<p>No drift to draw: the compared tensors are equal or have no common values.</p>\n";
  }
  if (layers.size() < kFewestDrawn) return "";
  const std::size_t worst = worst_first(layers).front();
  const std::string summary = "Drift (RMSE over range) of " + std::to_string(layers.size()) +
                              " tensors in execution order; the largest is at " +
                              escaped(layers[worst].name, 80) +
                              ". The table below holds the numbers.";
  const Axis axis = axis_of(layers);
  std::string caption =
      "RMSE / range of each tensor, input first, on a logarithmic axis; 0 is drawn on the lowest "
      "line.";
  if (gaps > 0) caption += " Dashed lines are gaps: no values to compare.";
  return "<figure class=\"drift\">" + chart(kWide, axis, layers, summary) +
         chart(kNarrow, axis, layers, summary) + "<figcaption>" + caption +
         "</figcaption></figure>\n";
}

}  // namespace edgeprobe::report
