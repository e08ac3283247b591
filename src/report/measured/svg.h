// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Shared parts of the charts.
namespace edgeprobe::report {

std::string svg_number(double value);  ///< Two decimals; a hundredth of a pixel.
std::string svg_line(std::string_view style, double x1, double y1, double x2, double y2);
/// `text` is escaped.
std::string svg_text(std::string_view style, double x, double y, std::string_view text);
/// The head, the style sheet, the background and the title, which is also drawn at the top.
std::string svg_begin(double width, double height, std::string_view title);

}  // namespace edgeprobe::report
