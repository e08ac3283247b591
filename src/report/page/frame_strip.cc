// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/text.h"
#include "report/page/parts.h"

namespace edgeprobe::report {
namespace {

constexpr std::size_t kMostBars = 240;  ///< With more frames, each bar is the maximum of several.
/// Maximum number of bars with a tooltip for their frame.
constexpr std::size_t kMostTitles = 100;
constexpr double kWidth = 960, kHeight = 64, kLeast = 2;

std::string place(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string amount(const diagnose::FrameDistances& all, double distance) {
  if (!std::isfinite(distance)) return "NaN or infinity";
  const std::string text = number(distance, 3);
  switch (all.unit) {
    case diagnose::FrameUnit::kGrayLevels: return text + " gray levels";
    case diagnose::FrameUnit::kPercentOfRange: return text + " % of the range";
    case diagnose::FrameUnit::kOutputDistance: break;
  }
  return text;
}

}  // namespace

std::string frame_strip(const diagnose::FrameDistances& all) {
  const auto& frames = all.frames;
  if (frames.size() < 2) return "";
  double most = 0;
  for (const diagnose::FrameDistance& one : frames)
    if (std::isfinite(one.distance)) most = std::max(most, one.distance);
  const std::size_t bars = std::min(kMostBars, frames.size());
  const double step = kWidth / double(bars), gap = bars > 120 ? 0 : std::min(2.0, step / 5);
  std::string drawn;
  bool marked = false;
  for (std::size_t i = 0; i < bars; ++i) {
    const auto begin = frames.begin() + std::ptrdiff_t(i * frames.size() / bars),
               end = frames.begin() + std::ptrdiff_t((i + 1) * frames.size() / bars);
    const auto& largest = *std::max_element(begin, end, [](const auto& a, const auto& b) {
      return std::pair(a.differs, a.distance) < std::pair(b.differs, b.distance);
    });
    const double share = !std::isfinite(largest.distance) ? 1
                         : most > 0                       ? largest.distance / most
                                                          : 0;
    const double height = std::max(kLeast, (kHeight - 8) * share);
    if (largest.differs && !marked) {
      marked = true;
      drawn += "<rect class=\"first\" x=\"" + place(double(i) * step) + "\" y=\"0\" width=\"" +
               place(std::max(step - gap, 2.0)) + "\" height=\"" + place(kHeight) + "\"/>";
    }
    drawn += "<rect class=\"" + std::string(largest.differs ? "apart" : "alike") + "\" x=\"" +
             place(double(i) * step) + "\" y=\"" + place(kHeight - height) + "\" width=\"" +
             place(step - gap) + "\" height=\"" + place(height) + "\"";
    drawn += bars > kMostTitles ? "/>"
                                : "><title>frame " + std::to_string(largest.frame) + ": " +
                                      amount(all, largest.distance) + "</title></rect>";
  }
  const auto differing =
      std::count_if(frames.begin(), frames.end(), [](const auto& one) { return one.differs; });
  const auto first =
      std::find_if(frames.begin(), frames.end(), [](const auto& one) { return one.differs; });
  const auto worst =
      std::max_element(frames.begin(), frames.end(),
                       [](const auto& a, const auto& b) { return a.distance < b.distance; });
  const bool of_input = all.unit != diagnose::FrameUnit::kOutputDistance;
  std::string said = std::string(of_input ? "model inputs" : "outputs") +
                     ", frame by frame: " + std::to_string(differing) + " of " +
                     counted(frames.size(), "frame") + (differing == 1 ? " differs" : " differ") +
                     (of_input ? "" : " beyond the floor");
  if (differing > 0)
    said += "; the first is frame " + std::to_string(first->frame) +
            " (marked), the largest is frame " + std::to_string(worst->frame) + ": " +
            amount(all, worst->distance) + (of_input ? " (RMS)" : "");
  if (bars < frames.size())
    said += "; each bar is the largest of " + counted((frames.size() + bars - 1) / bars, "frame") +
            " or fewer";
  return "<figure class=\"strip\"><svg role=\"img\" aria-label=\"" + said +
         "\" viewBox=\"0 0 960 64\" preserveAspectRatio=\"none\">" + drawn + "</svg><figcaption>" +
         capitalised(said) + "</figcaption></figure>\n";
}

}  // namespace edgeprobe::report
