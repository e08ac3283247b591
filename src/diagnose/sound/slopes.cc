// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sound/slopes.h"

#include <algorithm>

namespace edgeprobe::diagnose::sound {

void leave_lines(const Problem::Pairs& here, Slopes& at) {
  const std::size_t columns =
      1 + *std::max_element(here.coefficient.begin(), here.coefficient.end());
  struct Sums {
    double n = 0, y = 0, t = 0, s = 0, yy = 0, yt = 0, ys = 0;
  };
  std::vector<Sums> sums(columns);
  for (std::size_t i = 0; i < here.made.size(); ++i) {
    Sums& c = sums[here.coefficient[i]];
    const double y = here.made[i], t = here.recorded[i], s = at.slope[i];
    c.n += 1, c.y += y, c.t += t, c.s += s, c.yy += y * y, c.yt += y * t, c.ys += y * s;
  }
  for (std::size_t i = 0; i < here.made.size(); ++i) {
    const Sums& c = sums[here.coefficient[i]];
    const double yy = std::max(c.yy - c.y * c.y / c.n, 1e-30), y = here.made[i] - c.y / c.n;
    const double line = (c.yt - c.y * c.t / c.n) / yy, turn = (c.ys - c.y * c.s / c.n) / yy;
    at.off[i] = here.recorded[i] - c.t / c.n - line * y;
    at.slope[i] = line * (at.slope[i] - c.s / c.n - turn * y);
  }
}

}  // namespace edgeprobe::diagnose::sound
