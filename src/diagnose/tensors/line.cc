// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tensors/line.h"

namespace edgeprobe::diagnose::tensors {
namespace {

/// Tolerance for a line fitted to rounded codes, in addition to half a step on each side.
constexpr double kRounding = 0.15;

}  // namespace

std::optional<Line> LineFit::line() const {
  if (n_ < 2 || !(xx_ > 0)) return std::nullopt;
  const double gain = xy_ / xx_;
  return Line{gain, mean_y_ - gain * mean_x_};
}

bool LineMaker::at_end(float code) const {
  return pairs_.codes && (code <= pairs_.codes->least || code >= pairs_.codes->most);
}

bool LineMaker::tells(float wanted, float fed) const {
  return std::isfinite(wanted) && std::isfinite(fed) && !at_end(wanted) && !at_end(fed);
}

bool LineMaker::makes(const Line& line, float wanted, float fed) const {
  const double made = line.gain * double(wanted) + line.offset, off = double(fed) - made;
  if (!pairs_.codes) return std::abs(off) <= pairs_.slack * std::max(1.0, std::abs(line.gain));
  const double slack = (1 + std::abs(line.gain)) / 2 + kRounding;
  if (std::abs(off) <= slack) return true;
  const Codes& codes = *pairs_.codes;
  if (fed >= codes.most && made > codes.most) return true;
  if (fed <= codes.least && made < codes.least) return true;
  // The reference clipped this value; the true one is further out.
  const bool above = (wanted >= codes.most) == (line.gain > 0);
  return at_end(wanted) && (above ? off > 0 : off < 0);
}

}  // namespace edgeprobe::diagnose::tensors
