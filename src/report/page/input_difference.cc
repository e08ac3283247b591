// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <optional>

#include "core/text.h"
#include "report/page/html.h"
#include "report/page/parts.h"
#include "report/page/picture_data.h"
#include "report/words/statement_values.h"

namespace edgeprobe::report {
namespace {

using diagnose::Picture;

constexpr int kEdge = 320;
/// Times by which small differences are enlarged; the largest that leaves most of them below white.
constexpr std::array kGains = {16, 8, 4, 2, 1};
constexpr std::size_t kMostBars = 200;

std::string decimals(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

/// The two sides of the sample that differs most.
struct Pair {
  const Picture *target = nullptr, *reference = nullptr;
  double distance = 0;
};
std::optional<Pair> farthest(const diagnose::Verdict& verdict) {
  std::optional<Pair> best;
  for (const Picture& target : verdict.pictures) {
    if (target.role != "target_input" || !usable(target)) continue;
    const Picture* const reference = picture_of(verdict, target.sample, "reference_input");
    if (!reference || reference->rgb.size() != target.rgb.size()) continue;
    double squares = 0;
    for (std::size_t i = 0; i < target.rgb.size(); ++i) {
      const double d = double(target.rgb[i]) - double(reference->rgb[i]);
      squares += d * d;
    }
    if (!best || squares > best->distance) best = Pair{&target, reference, squares};
  }
  return best;
}

std::string image(const Picture& picture, const std::string& title) {
  const std::string png = png_base64(fitted(picture, kEdge));
  return "<figure><img alt=\"" + title + "\" src=\"data:image/png;base64," + png +
         "\"><figcaption>" + title + "</figcaption></figure>\n";
}

std::string difference_picture(const Pair& pair) {
  std::vector<int> sizes;
  for (std::size_t i = 0; i < pair.target->rgb.size(); ++i)
    sizes.push_back(std::abs(int(pair.target->rgb[i]) - int(pair.reference->rgb[i])));
  auto ranked = sizes;
  const auto high = ranked.begin() + std::ptrdiff_t(ranked.size() * 99 / 100);
  std::nth_element(ranked.begin(), high, ranked.end());
  const int gain = *std::find_if(kGains.begin(), kGains.end() - 1,
                                 [&](int times) { return *high * times <= 255; });
  Picture shown = *pair.target;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    shown.rgb[i] = std::uint8_t(std::min(255, sizes[i] * gain));
  return image(shown, "difference" + (gain > 1 ? " × " + std::to_string(gain) : std::string()) +
                          " (black: equal)");
}

/// Mean of the app's values for each level of the reference, channel by channel.
std::string curve(const Pair& pair) {
  static constexpr std::array<const char*, 3> kColors = {"#c33", "#2a2", "#36c"};
  std::string lines;
  for (std::size_t c = 0; c < 3; ++c) {
    std::array<double, 256> sum{}, count{};
    for (std::size_t i = c; i < pair.target->rgb.size(); i += 3) {
      sum[pair.reference->rgb[i]] += pair.target->rgb[i];
      ++count[pair.reference->rgb[i]];
    }
    std::string points;
    for (std::size_t v = 0; v < 256; ++v)
      if (count[v] > 0)
        points += (points.empty() ? "" : " ") + decimals(double(v)) + "," +
                  decimals(255 - sum[v] / count[v]);
    lines += "<polyline fill=\"none\" stroke=\"" + std::string(kColors[c]) +
             "\" stroke-width=\"2\" points=\"" + points + "\"/>";
  }
  return "<figure><svg role=\"img\" aria-label=\"reference’s value across, the app’s mean value "
         "up\" viewBox=\"-2 -2 259 259\" style=\"width:100%;display:block\"><rect width=\"255\" "
         "height=\"255\" fill=\"none\" stroke=\"currentColor\" opacity=\".4\"/><line x1=\"0\" "
         "y1=\"255\" x2=\"255\" y2=\"0\" stroke=\"currentColor\" opacity=\".4\" "
         "stroke-dasharray=\"4\"/>" +
         lines +
         "</svg><figcaption>value to value<small>across: reference, up: the app’s mean; dashed: "
         "equal</small></figcaption></figure>\n";
}

/// One bar a frame, as high as its input lies from the reference's.
std::string strip(const std::vector<double>& steps) {
  if (steps.size() < 2) return "";
  const double most = std::max(1.0, *std::max_element(steps.begin(), steps.end()));
  const std::size_t shown = std::min(kMostBars, steps.size());
  const double width = 960.0 / double(shown);
  std::string bars;
  for (std::size_t i = 0; i < shown; ++i) {
    const double height = std::max(1.0, 60 * steps[i * steps.size() / shown] / most);
    bars += "<rect x=\"" + decimals(double(i) * width) + "\" y=\"" + decimals(62 - height) +
            "\" width=\"" + decimals(std::max(1.0, width - 1)) + "\" height=\"" + decimals(height) +
            "\" fill=\"currentColor\"/>";
  }
  return "<figure style=\"margin:0 0 1rem\"><svg role=\"img\" aria-label=\"distance of each "
         "frame\" viewBox=\"0 0 960 64\" preserveAspectRatio=\"none\" "
         "style=\"width:100%;height:4rem;display:block\">" +
         bars + "</svg><figcaption>frame by frame<small>" + std::to_string(steps.size()) +
         " frames in order; the highest bar is " + number(most, 3) +
         " gray steps (RMS)</small></figcaption></figure>\n";
}

}  // namespace

std::string input_difference(const diagnose::Verdict& verdict) {
  const auto unknown =
      std::find_if(verdict.causes.begin(), verdict.causes.end(), [](const diagnose::Cause& cause) {
        return cause.kind == diagnose::CauseKind::kUnknown &&
               cause.stage == diagnose::CauseStage::kPreprocessing;
      });
  const auto pair = unknown == verdict.causes.end() ? std::nullopt : farthest(verdict);
  if (!pair) return "";
  std::string sentence, bars;
  for (const diagnose::Evidence& said : unknown->evidence)
    if (said.kind == diagnose::EvidenceKind::kDifferencePlace) {
      const Values values(said);
      sentence = values.text("sentence");
      bars = strip(values.list("distances"));
    }
  std::string out = "<h2>Where the model inputs differ</h2>\n";
  if (!sentence.empty()) {
    sentence[0] = char(std::toupper(static_cast<unsigned char>(sentence[0])));
    out += "<p>" + escaped(sentence, 600) + ".</p>\n";
  }
  out += "<div class=\"pictures\">\n" + image(*pair->target, "target: what the model saw") +
         image(*pair->reference, "reference") + difference_picture(*pair) + curve(*pair) +
         "</div>\n";
  return out + bars;
}

}  // namespace edgeprobe::report
