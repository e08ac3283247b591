// SPDX-License-Identifier: Apache-2.0
#include "probe/values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "probe/sampling.h"

namespace edgeprobe::probe {
namespace {

enum Place { kCount, kNans, kInfinities, kZeros, kLeast, kGreatest, kSum, kSquares, kBins };

// Equal bins between two finite numbers. A value on an edge belongs to the upper bin, the greatest
// value to the last one.
class Bins {
 public:
  Bins(double least, double greatest) : least_(least) {
    // Halved, so that a range wider than the largest number stays finite.
    half_step_ = (greatest / 2 - least / 2) / static_cast<double>(kSketchBins);
  }
  std::size_t of(double value) const {
    if (!(half_step_ > 0)) return 0;
    auto bin = static_cast<std::size_t>(std::clamp((value / 2 - least_ / 2) / half_step_, 0.0,
                                                   static_cast<double>(kSketchBins - 1)));
    // The quotient is rounded, so the edges decide.
    if (value < edge(bin)) --bin;
    else if (bin + 1 < kSketchBins && value >= edge(bin + 1)) ++bin;
    return bin;
  }

 private:
  double edge(std::size_t index) const {
    return static_cast<double>(index) * (2 * half_step_) + least_;
  }
  double least_, half_step_;
};

}  // namespace

std::array<double, kSketchLength> sketch(const Logged& logged, ByteView bytes) {
  const Values values(logged, bytes);
  std::array<double, Values::kBlock> block;
  std::array<double, kSketchLength> out{};
  double least = std::numeric_limits<double>::infinity(), greatest = -least;
  out[kCount] = static_cast<double>(values.count());
  for (std::size_t at = 0; at < values.count();) {
    const std::size_t count = values.read(at, block);
    for (std::size_t i = 0; i < count; ++i) {
      const double value = block[i];
      if (!std::isfinite(value)) {
        ++out[std::isnan(value) ? kNans : kInfinities];
        continue;
      }
      if (value == 0) ++out[kZeros];
      least = std::min(least, value);
      greatest = std::max(greatest, value);
      out[kSum] += value;
      out[kSquares] += value * value;
    }
    at += count;
  }
  if (least > greatest) {
    out[kLeast] = out[kGreatest] = std::numeric_limits<double>::quiet_NaN();
    return out;
  }
  out[kLeast] = least;
  out[kGreatest] = greatest;
  const Bins bins(least, greatest);
  for (std::size_t at = 0; at < values.count();) {
    const std::size_t count = values.read(at, block);
    for (std::size_t i = 0; i < count; ++i)
      if (std::isfinite(block[i])) ++out[kBins + bins.of(block[i])];
    at += count;
  }
  return out;
}

void sample(std::size_t width, ByteView bytes, std::uint64_t seed, Bytes& out) {
  const std::uint64_t n = bytes.size / width, m = std::min<std::uint64_t>(n, kSketchSample);
  out.clear();
  for (std::uint64_t k = 0; k < m; ++k) {
    const std::uint64_t a = k * n / m, b = (k + 1) * n / m;
    const ByteView value =
        bytes.sub(static_cast<std::size_t>((a + splitmix64(seed + k) % (b - a)) * width), width);
    out.insert(out.end(), value.begin(), value.end());
  }
}

}  // namespace edgeprobe::probe
